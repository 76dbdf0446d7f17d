// Ways out of the fence, one function each: `escape NAME` takes one. Each tries to do its harm and says nothing;
// `tests/fence/escapes.toml` says by what it is seen.
#pragma once
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

struct way {
  const char *name;
  void (*take)(void);
};

// Each ends with a way that has no name.
extern const struct way files[], movings[], descriptors[], rings[], processes[], sockets[], spaces[], readings[], around[];

// Writes `evil` to a descriptor, and closes it.
void spoil(int descriptor);
// Writes what a descriptor has to the file `stolen` of the workspace, and closes it.
void steal(int descriptor);
// Returns the number that stands in a file of the workspace, as `victim`.
int number_in(const char *file);
// Returns a descriptor for the home.
int home(void);
// Makes the address of a socket without a place in the file system, for this world alone. Returns its length.
socklen_t abstract(const char *name, struct sockaddr_un *address);
// Replaces this program by a shell that runs a line.
void shell(const char *line);
