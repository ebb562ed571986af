// The client and the node of dqlite's own Go package, for tests and figures:
//
//	peer node DIRECTORY ADDRESS [ADDRESS OF ANOTHER NODE] CERTIFICATE KEY    a node with TLS
//	peer bench ADDRESS…                                                      figures of the client
//
// Built with Debian's golang-go and golang-github-canonical-go-dqlite-dev: Cluster/Scripts/bench.
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"database/sql"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/canonical/go-dqlite/app"
	"github.com/canonical/go-dqlite/client"
	"github.com/canonical/go-dqlite/driver"
)

func main() {
	if len(os.Args) > 4 && os.Args[1] == "node" {
		node(os.Args[2], os.Args[3], os.Args[4:])
	} else if len(os.Args) > 2 && os.Args[1] == "bench" {
		bench(os.Args[2:])
	} else {
		log.Fatal("usage: peer node DIRECTORY ADDRESS [JOINED] CERTIFICATE KEY, or peer bench ADDRESS…")
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func node(directory, address string, rest []string) {
	certificate, key := rest[len(rest)-2], rest[len(rest)-1]
	pair, err := tls.LoadX509KeyPair(certificate, key)
	check(err)
	data, err := os.ReadFile(certificate)
	check(err)
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(data) {
		log.Fatal("no certificate in ", certificate)
	}
	check(os.MkdirAll(directory, 0o755))
	options := []app.Option{app.WithAddress(address), app.WithTLS(app.SimpleTLSConfig(pair, pool))}
	if len(rest) > 2 {
		options = append(options, app.WithCluster(rest[:1]))
	}
	started, err := app.New(directory, options...)
	check(err)
	check(started.Ready(context.Background()))
	fmt.Println("ready")
	select {}
}

func bench(addresses []string) {
	var nodes []client.NodeInfo
	for index, address := range addresses {
		nodes = append(nodes, client.NodeInfo{ID: uint64(index + 1), Address: address})
	}
	store := client.NewInmemNodeStore()
	check(store.Set(context.Background(), nodes))
	connector, err := driver.New(store)
	check(err)
	sql.Register("dqlite-bench", connector)
	db, err := sql.Open("dqlite-bench", fmt.Sprintf("bench-go-%d", time.Now().UnixNano()))
	check(err)
	db.SetMaxOpenConns(1)
	_, err = db.Exec("CREATE TABLE bird (id INTEGER PRIMARY KEY, name TEXT NOT NULL, grams REAL NOT NULL)")
	check(err)

	measure("insert, each with its commit", 500, func(count int) {
		for id := 1; id <= count; id++ {
			_, err := db.Exec("INSERT INTO bird VALUES (?, ?, ?)", id, fmt.Sprintf("bird %d", id), 44.5)
			check(err)
		}
	})
	measure("insert, in one transaction", 100_000, func(count int) {
		tx, err := db.Begin()
		check(err)
		statement, err := tx.Prepare("INSERT INTO bird VALUES (?, ?, ?)")
		check(err)
		for id := 1; id <= count; id++ {
			_, err := statement.Exec(id+1000, fmt.Sprintf("bird %d", id), 44.5)
			check(err)
		}
		check(statement.Close())
		check(tx.Commit())
	})
	measure("find by key", 10_000, func(count int) {
		for id := 1; id <= count; id++ {
			var name string
			var grams float64
			check(db.QueryRow("SELECT name, grams FROM bird WHERE id = ?", id+1000).Scan(&name, &grams))
		}
	})
	measure("stream of rows", 100_000, func(count int) {
		rows, err := db.Query("SELECT id, name, grams FROM bird WHERE id > 1000")
		check(err)
		found := 0
		for rows.Next() {
			var id int64
			var name string
			var grams float64
			check(rows.Scan(&id, &name, &grams))
			found++
		}
		check(rows.Err())
		if found != count {
			log.Fatalf("%d rows instead of %d", found, count)
		}
	})
}

func measure(name string, count int, body func(int)) {
	start := time.Now()
	body(count)
	seconds := time.Since(start).Seconds()
	fmt.Printf("| %s | %d | %.1f µs | %.0f/s |\n", name, count, seconds/float64(count)*1e6, float64(count)/seconds)
}
