#ifndef CCOUNTINGVFS_H
#define CCOUNTINGVFS_H

/* Registers, as the default, the system's file layer with a count of syncs for the files whose path
   contains a text. Others are opened as ever. Call it once; returns SQLite's result code. */
int counting_vfs_register(const char *part_of_path);

/* How often these files were forced to disk. */
long counting_vfs_sync_count(void);

#endif
