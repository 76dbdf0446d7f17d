#include "ways.h"
#include <sys/stat.h>

void spoil(int descriptor) {
  if (descriptor < 0) return;
  if (write(descriptor, "evil\n", 5) < 0) perror("write");
  close(descriptor);
}

void steal(int descriptor) {
  char bytes[4096];
  ssize_t length = descriptor < 0 ? -1 : read(descriptor, bytes, sizeof bytes);
  if (length <= 0) return;
  int out = open("stolen", O_CREAT | O_WRONLY | O_APPEND, 0644);
  if (write(out, bytes, length) < 0) perror("write");
  close(out);
}

int number_in(const char *file) {
  char text[32] = {0};
  int descriptor = open(file, O_RDONLY);
  if (read(descriptor, text, sizeof text - 1) < 0) perror(file);
  close(descriptor);
  return atoi(text);
}

int home(void) { return open("/root", O_RDONLY | O_DIRECTORY); }

socklen_t abstract(const char *name, struct sockaddr_un *address) {
  struct stat world;
  stat("/srv", &world);
  *address = (struct sockaddr_un){.sun_family = AF_UNIX};
  return sizeof(sa_family_t) + 1 + sprintf(address->sun_path + 1, "%s-%lx", name, (unsigned long)world.st_dev);
}

void shell(const char *line) { execl("/bin/sh", "sh", "-c", line, (char *)0); }

int main(int count, char **words) {
  const struct way *tables[] = {files, movings, descriptors, rings, processes, sockets, spaces, readings, around};
  for (unsigned table = 0; count == 2 && table < sizeof tables / sizeof *tables; table++)
    for (const struct way *way = tables[table]; way->name; way++)
      if (!strcmp(way->name, words[1])) {
        way->take();
        return 0;
      }
  fprintf(stderr, "there is no such way\n");
  return 2;
}
