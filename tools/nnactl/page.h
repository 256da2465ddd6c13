/* SPDX-License-Identifier: MIT */
/*
 * A profile as a page that a browser shows without anything else: the timeline of one run, the time
 * of each kind of operator, the roofline, and a table of all commands.
 */
#ifndef NNACTL_PAGE_H
#define NNACTL_PAGE_H

#include <jansson.h>
#include <stdbool.h>

/* Whether the end of a path is .svg, .html or .htm. */
bool nnactl_page_can_write(const char *path);

/*
 * @profile: what nnactl profile --json prints, with a list "timeline" of the commands of one run:
 *	"command", its number in "commands", "begin_us" and "end_us"
 *
 * An .svg has the drawings and the commands that take longest, an .html all of them. Return: 0, or
 * 1 with the error printed.
 */
int nnactl_page_write(const json_t *profile, const char *path);

#endif
