#include "CFaults.h"

#include <sqlite3.h>
#include <stdatomic.h>

/* The operation that fails, and how often each kind was met. */

static atomic_uint armed_operations = 0;
static atomic_long armed_number = 0;
static atomic_int armed_code = 0;
static atomic_int armed_lasting = 0;
static atomic_long met = 0;
static atomic_long failed = 0;
static atomic_long counts[16];

static int place(unsigned operation) { return __builtin_ctz(operation); }

void faults_arm(unsigned operations, long number, int code, int lasting) {
  atomic_store(&armed_operations, 0);
  for (int index = 0; index < 16; index++) atomic_store(&counts[index], 0);
  atomic_store(&met, 0);
  atomic_store(&failed, 0);
  atomic_store(&armed_number, number);
  atomic_store(&armed_code, code);
  atomic_store(&armed_lasting, lasting);
  atomic_store(&armed_operations, operations);
}

long faults_disarm(void) {
  atomic_store(&armed_operations, 0);
  return atomic_load(&failed);
}

int faults_fail_for_good(void) {
  return atomic_load(&armed_operations) != 0 && atomic_load(&armed_lasting) != 0 &&
         atomic_load(&failed) > 0;
}

long faults_failed(void) { return atomic_load(&failed); }

long faults_count(unsigned operations) {
  long sum = 0;
  for (int index = 0; index < 16; index++)
    if (operations & (1u << index)) sum += atomic_load(&counts[index]);
  return sum;
}

/* Returns the code with which an operation fails; 0 if it does not fail. */
int faults_meet(unsigned operation, int otherwise) {
  atomic_fetch_add(&counts[place(operation)], 1);
  if (!(atomic_load(&armed_operations) & operation)) return SQLITE_OK;
  int code = atomic_load(&armed_code);
  long number = atomic_fetch_add(&met, 1) + 1;
  long wanted = atomic_load(&armed_number);
  if (!code || number < wanted || (number > wanted && !atomic_load(&armed_lasting)))
    return SQLITE_OK;
  atomic_fetch_add(&failed, 1);
  /* SQLITE_IOERR stands for the operation's own extended code. */
  return code == SQLITE_IOERR ? otherwise : code;
}
