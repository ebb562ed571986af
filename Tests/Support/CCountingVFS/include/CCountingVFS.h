#ifndef CCOUNTINGVFS_H
#define CCOUNTINGVFS_H

/* Registers, as the default VFS, the system's VFS with a count of syncs for the files whose path
   contains a text. Other files are opened as usual. Call it once; returns SQLite's result code. */
int counting_vfs_register(const char *part_of_path);

/* Returns how often these files were forced to disk. */
long counting_vfs_sync_count(void);

#endif
