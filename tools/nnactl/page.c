// SPDX-License-Identifier: MIT
#include "tools/nnactl/page.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "tools/nnactl/nnactl.h"
#include "tools/nnactl/text.h"

#define WIDTH 1000
#define MARGIN 60
#define INNER (WIDTH - 2 * MARGIN)
#define BAR_HEIGHT 20
/* Of an .svg, which has no table of its own. */
#define ROWS 20
#define MOST_KINDS 12
#define ROOF_HEIGHT 300
#define LABEL_WIDTH 170

/* Of kinds of operators, in the order of their time; the last is that of the others. */
static const char *const COLORS[MOST_KINDS + 1] = {
	"#2f6fb5", "#d9822b", "#3c9a5f", "#b8433f", "#7a5fb0", "#8c6d4f", "#c2639b", "#5aa7a7",
	"#a3a33a", "#4b4f9c", "#d0a83c", "#6b8e23", "#888888",
};

static double number(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

static const char *text(const json_t *object, const char *key)
{
	const char *value = json_string_value(json_object_get(object, key));

	return value ? value : "";
}

/* Text between tags and in quotes. */
static void put_text(FILE *to, const char *from)
{
	for (; *from; from++) {
		switch (*from) {
		case '&':
			fputs("&amp;", to);
			break;
		case '<':
			fputs("&lt;", to);
			break;
		case '>':
			fputs("&gt;", to);
			break;
		case '"':
			fputs("&quot;", to);
			break;
		default:
			fputc(*from, to);
		}
	}
}

/* The kind of a command: the model's operator, or the command where it has none. */
static const char *kind_of(const json_t *command)
{
	return *text(command, "operator") ? text(command, "operator") : text(command, "name");
}

/* Operators are sorted by time. */
static const char *color_of(const json_t *profile, const json_t *command)
{
	const json_t *operators = json_object_get(profile, "operators"), *one;
	size_t i;

	json_array_foreach(operators, i, one)
		if (i < MOST_KINDS && !strcmp(text(one, "operator"), kind_of(command)))
			return COLORS[i];
	return COLORS[MOST_KINDS];
}

/* "12 CONV for CONV_2D, .../expand" */
static void put_command(FILE *to, const json_t *command, size_t tail_size)
{
	const json_t *operator = json_object_get(command, "number");
	char layer[256];

	if (json_is_integer(operator))
		fprintf(to, "%lld ", (long long)json_integer_value(operator));
	put_text(to, text(command, "name"));
	if (*text(command, "operator")) {
		fputs(" for ", to);
		put_text(to, text(command, "operator"));
	}
	if (*text(command, "tensor")) {
		fputs(", ", to);
		put_text(to, nnactl_tail(nnactl_layer(text(command, "tensor"), layer, sizeof(layer)),
					 tail_size));
	}
}

/* ----------------------------------------------------------------------------------- drawings */

static void put_label(FILE *to, double x, double y, const char *anchor, const char *what)
{
	fprintf(to, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
	put_text(to, what);
	fputs("</text>\n", to);
}

static void put_heading(FILE *to, int y, const char *what)
{
	fprintf(to, "<text x=\"%d\" y=\"%d\" class=\"heading\">%s</text>\n", MARGIN, y, what);
}

/* 1, 2 or 5 times a power of ten, of which about five fit @span. */
static double step_of(double span)
{
	const double rough = span / 5, power = pow(10, floor(log10(rough)));
	const double times = rough / power;

	return power * (times < 1.5 ? 1 : times < 3.5 ? 2 : times < 7.5 ? 5 : 10);
}

/* Return: the height. */
static int put_timeline(FILE *to, const json_t *profile, int top)
{
	const json_t *timeline = json_object_get(profile, "timeline"), *entry;
	const json_t *commands = json_object_get(profile, "commands");
	const double first = number(json_array_get(timeline, 0), "begin_us");
	double last = first, scale, step;
	char label[32];
	size_t i;

	put_heading(to, top + 20, "One run");
	json_array_foreach(timeline, i, entry)
		last = fmax(last, number(entry, "end_us"));
	if (!(last > first))
		return 40;
	scale = INNER / (last - first);
	json_array_foreach(timeline, i, entry) {
		const json_t *command = json_array_get(commands, (size_t)number(entry, "command"));
		const double begin = number(entry, "begin_us"), end = number(entry, "end_us");

		fprintf(to, "<rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"40\" fill=\"%s\" "
			"stroke=\"#fff\" stroke-width=\".3\"><title>",
			MARGIN + (begin - first) * scale, top + 32,
			fmax((end - begin) * scale, .3), color_of(profile, command));
		put_command(to, command, 120);
		fprintf(to, ": %.1f us</title></rect>\n", end - begin);
	}
	step = step_of(last - first);
	for (double at = 0; at <= last - first; at += step) {
		fprintf(to, "<path d=\"M%.1f %dv6\"/>\n", MARGIN + at * scale, top + 74);
		snprintf(label, sizeof(label), "%g us", at);
		put_label(to, MARGIN + at * scale, top + 94, "middle", label);
	}
	return 110;
}

/* The time of each kind of operator. Return: the height. */
static int put_operators(FILE *to, const json_t *profile, int top)
{
	const json_t *operators = json_object_get(profile, "operators"), *one;
	const double most = number(json_array_get(operators, 0), "share");
	char label[64];
	int y = top + 32;
	size_t i;

	put_heading(to, top + 20, "By operator");
	json_array_foreach(operators, i, one) {
		const double share = number(one, "share");
		const double width = most > 0 ? share / most * (INNER - 2 * LABEL_WIDTH) : 0;

		if (i == MOST_KINDS) {
			snprintf(label, sizeof(label), "and %zu more",
				 json_array_size(operators) - i);
			put_label(to, MARGIN, y + 15, "start", label);
			y += BAR_HEIGHT;
			break;
		}
		put_label(to, MARGIN, y + 15, "start", nnactl_tail(text(one, "operator"), 24));
		fprintf(to, "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>\n",
			MARGIN + LABEL_WIDTH, y + 2, fmax(width, .5), BAR_HEIGHT - 4, COLORS[i]);
		snprintf(label, sizeof(label), "%.1f us, %.1f %%, %lld run%s",
			 1e3 * number(one, "ms"), 100 * share, (long long)number(one, "runs"),
			 number(one, "runs") == 1 ? "" : "s");
		put_label(to, MARGIN + LABEL_WIDTH + width + 6, y + 15, "start", label);
		y += BAR_HEIGHT;
	}
	return y - top + 10;
}

/**
 * struct roof - the axes of the roofline, by powers of ten
 * @left, @right: operations per byte
 * @low, @high: operations per ns
 * @top: of the drawing
 */
struct roof {
	double left, right, low, high;
	int top;
};

static double roof_x(const struct roof *r, double intensity)
{
	return MARGIN + (log10(intensity) - r->left) / (r->right - r->left) * INNER;
}

static double roof_y(const struct roof *r, double rate)
{
	return r->top + ROOF_HEIGHT -
	       (log10(rate) - r->low) / (r->high - r->low) * ROOF_HEIGHT;
}

/* What is drawn: sums of products that have been measured. */
static bool is_point(const json_t *command)
{
	return number(command, "macs") > 0 && number(command, "bytes") > 0 &&
	       number(command, "gops") > 0;
}

static double intensity_of(const json_t *command)
{
	return 2 * number(command, "macs") / number(command, "bytes");
}

/* A horizontal line at a peak, and its name. */
static void put_peak(FILE *to, const struct roof *r, double rate, const char *name)
{
	char label[64];

	if (!(rate > 0))
		return;
	fprintf(to, "<path d=\"M%d %.1fH%d\" class=\"roof\"/>\n", MARGIN, roof_y(r, rate),
		MARGIN + INNER);
	snprintf(label, sizeof(label), "%s: %.0f G a second", name, rate);
	put_label(to, MARGIN + INNER, roof_y(r, rate) - 4, "end", label);
}

/* A line at the rate of a memory, up to the highest peak. */
static void put_memory(FILE *to, const struct roof *r, const json_t *memory, double peak)
{
	const double rate = number(memory, "gb_s"), kilobytes = number(memory, "bytes") / 1e3;
	const double left = fmax(pow(10, r->left), pow(10, r->low) / rate);
	const double right = fmin(pow(10, r->right), peak / rate);
	char label[64];

	if (!(rate > 0) || !(right > left))
		return;
	fprintf(to, "<path d=\"M%.1f %.1fL%.1f %.1f\" class=\"roof\"/>\n", roof_x(r, left),
		roof_y(r, left * rate), roof_x(r, right), roof_y(r, right * rate));
	snprintf(label, sizeof(label), "%.0f GB/s in %.0f kB", rate, kilobytes);
	fprintf(to, "<text transform=\"translate(%.1f %.1f) rotate(%.1f)\">%s</text>\n",
		roof_x(r, left) + 6, roof_y(r, left * rate) - 10,
		-180 / M_PI * atan2(roof_y(r, left * rate) - roof_y(r, right * rate),
				    roof_x(r, right) - roof_x(r, left)), label);
}

static void put_axes(FILE *to, const struct roof *r)
{
	const int bottom = r->top + ROOF_HEIGHT;
	char label[32];

	fprintf(to, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" class=\"frame\"/>\n",
		MARGIN, r->top, INNER, ROOF_HEIGHT);
	for (double power = r->left; power <= r->right; power++) {
		const double x = roof_x(r, pow(10, power));

		fprintf(to, "<path d=\"M%.1f %dv%d\" class=\"grid\"/>\n", x, r->top, ROOF_HEIGHT);
		snprintf(label, sizeof(label), "%g", pow(10, power));
		put_label(to, x, bottom + 16, "middle", label);
	}
	for (double power = r->low; power <= r->high; power++) {
		const double y = roof_y(r, pow(10, power));

		fprintf(to, "<path d=\"M%d %.1fh%d\" class=\"grid\"/>\n", MARGIN, y, INNER);
		snprintf(label, sizeof(label), "%g", pow(10, power));
		put_label(to, MARGIN - 6, y + 4, "end", label);
	}
	put_label(to, MARGIN + INNER / 2, bottom + 34, "middle", "operations for each byte");
}

/* The powers of ten that all points and peaks lie between. */
static struct roof find_axes(const json_t *profile, double peak, int top)
{
	const json_t *commands = json_object_get(profile, "commands"), *one;
	struct roof r = { .left = 0, .right = 2, .low = 1, .high = 2, .top = top };
	size_t i;

	if (peak > 0)
		r.high = fmax(r.high, ceil(log10(peak * 1.05)));
	json_array_foreach(commands, i, one) {
		if (!is_point(one))
			continue;
		r.left = fmin(r.left, floor(log10(intensity_of(one))));
		r.right = fmax(r.right, ceil(log10(intensity_of(one))));
		r.low = fmin(r.low, floor(log10(number(one, "gops"))));
		r.high = fmax(r.high, ceil(log10(number(one, "gops"))));
	}
	return r;
}

/* Return: the height. */
static int put_roofline(FILE *to, const json_t *profile, int top)
{
	const json_t *peaks = json_object_get(profile, "peaks"), *one;
	const double integer = number(peaks, "int8_gops"), real = number(peaks, "fp32_gflops");
	const struct roof r = find_axes(profile, fmax(integer, real), top + 34);
	size_t i;

	put_heading(to, top + 20, peaks ? "Roofline: G operations a second" :
		    "G operations a second (no peaks are known of the device's machine)");
	put_axes(to, &r);
	put_peak(to, &r, integer, "8-bit");
	put_peak(to, &r, real, "fp32");
	json_array_foreach(json_object_get(peaks, "memory"), i, one)
		put_memory(to, &r, one, fmax(integer, real));
	json_array_foreach(json_object_get(profile, "commands"), i, one) {
		if (!is_point(one))
			continue;
		fprintf(to, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"%s\" "
			"fill-opacity=\".7\"><title>", roof_x(&r, intensity_of(one)),
			roof_y(&r, number(one, "gops")), 3 + 30 * sqrt(number(one, "share")) / 2,
			color_of(profile, one));
		put_command(to, one, 120);
		fprintf(to, ": %.1f us, %.1f G a second</title></circle>\n",
			1e3 * number(one, "ms"), number(one, "gops"));
	}
	return ROOF_HEIGHT + 90;
}

/* ------------------------------------------------------------------------------------- tables */

static int compare_times(const void *first, const void *second)
{
	const double a = number(*(json_t *const *)first, "ms");
	const double b = number(*(json_t *const *)second, "ms");

	return (a < b) - (a > b);
}

/* All commands, those that take longest first; the caller frees the list. NULL for no memory. */
static const json_t **sort_commands(const json_t *profile)
{
	const json_t *commands = json_object_get(profile, "commands"), *one;
	const json_t **sorted = calloc(json_array_size(commands) + 1, sizeof(*sorted));
	size_t i;

	if (!sorted)
		return NULL;
	json_array_foreach(commands, i, one)
		sorted[i] = one;
	qsort(sorted, i, sizeof(*sorted), compare_times);
	return sorted;
}

/* Return: the height. */
static int put_slowest(FILE *to, const json_t *profile, const json_t *const *sorted, int top)
{
	const size_t count = json_array_size(json_object_get(profile, "commands"));
	char label[64];
	int y = top + 32;

	put_heading(to, top + 20, "What takes longest");
	for (size_t i = 0; i < count && i < ROWS; i++, y += BAR_HEIGHT) {
		snprintf(label, sizeof(label), "%.1f us", 1e3 * number(sorted[i], "ms"));
		put_label(to, MARGIN + 80, y + 15, "end", label);
		snprintf(label, sizeof(label), "%.1f %%", 100 * number(sorted[i], "share"));
		put_label(to, MARGIN + 150, y + 15, "end", label);
		fprintf(to, "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>\n",
			MARGIN + 160, y + 2, fmax(100 * number(sorted[i], "share") /
						  fmax(number(sorted[0], "share"), 1e-9), .5),
			BAR_HEIGHT - 4, color_of(profile, sorted[i]));
		fprintf(to, "<text x=\"%d\" y=\"%d\">", MARGIN + 270, y + 15);
		put_command(to, sorted[i], 48);
		fputs("</text>\n", to);
	}
	return y - top + 20;
}

static void put_cell(FILE *to, double value, double scale, const char *format)
{
	char cell[32];

	snprintf(cell, sizeof(cell), format, value * scale);
	fprintf(to, "<td>%s</td>", value > 0 ? cell : "-");
}

static void put_table(FILE *to, const json_t *profile, const json_t *const *sorted)
{
	const size_t count = json_array_size(json_object_get(profile, "commands"));

	fputs("<table>\n<tr><th>operator</th><th>us</th><th>%</th><th>MMAC</th><th>GOPS</th>"
	      "<th>% of peak</th><th>kB</th><th>% of roofline</th><th>% busy</th>"
	      "<th class=\"name\">command</th></tr>\n", to);
	for (size_t i = 0; i < count; i++) {
		const json_t *one = sorted[i], *operator = json_object_get(one, "number");
		char layer[256];

		if (json_is_integer(operator))
			fprintf(to, "<tr><td>%lld</td>", (long long)json_integer_value(operator));
		else
			fputs("<tr><td></td>", to);
		put_cell(to, number(one, "ms"), 1e3, "%.1f");
		put_cell(to, number(one, "share"), 100, "%.1f");
		put_cell(to, number(one, "macs"), 1e-6, "%.2f");
		put_cell(to, number(one, "gops"), 1, "%.1f");
		put_cell(to, number(one, "peak"), 100, "%.0f");
		put_cell(to, number(one, "bytes"), 1e-3, "%.1f");
		put_cell(to, number(one, "roofline"), 100, "%.0f");
		put_cell(to, number(one, "balance"), 100, "%.0f");
		fprintf(to, "<td class=\"name\"><i style=\"background:%s\"></i>",
			color_of(profile, one));
		put_text(to, text(one, "name"));
		fputs(*text(one, "operator") ? " for " : "", to);
		put_text(to, text(one, "operator"));
		fputs("<br><small title=\"", to);
		put_text(to, text(one, "tensor"));
		fputs("\">", to);
		put_text(to, nnactl_layer(text(one, "tensor"), layer, sizeof(layer)));
		fputs("</small></td></tr>\n", to);
	}
	fputs("</table>\n", to);
}

/* --------------------------------------------------------------------------------------- files */

static bool is_svg(const char *path)
{
	const char *end = strrchr(path, '.');

	return end && !strcasecmp(end, ".svg");
}

bool nnactl_page_can_write(const char *path)
{
	const char *end = strrchr(path, '.');

	return is_svg(path) || (end && (!strcasecmp(end, ".html") || !strcasecmp(end, ".htm")));
}

static void put_title(FILE *to, const json_t *profile)
{
	put_text(to, text(profile, "model"));
	fputs(" on ", to);
	put_text(to, text(profile, "device"));
}

/* Drawings, whose height is known at the end; so they go through memory. */
static int put_svg(FILE *to, const json_t *profile, const json_t *const *sorted, bool alone)
{
	const double total = number(profile, "ms");
	char *body = NULL;
	size_t size;
	FILE *memory = open_memstream(&body, &size);
	int y = 60;

	if (!memory)
		return -ENOMEM;
	y += put_timeline(memory, profile, y);
	y += put_operators(memory, profile, y);
	y += put_roofline(memory, profile, y);
	if (alone)
		y += put_slowest(memory, profile, sorted, y);
	if (fclose(memory)) {
		free(body);
		return -ENOMEM;
	}
	fprintf(to, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
		"viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\">\n<style>"
		"svg path{stroke:#444;fill:none} svg .grid{stroke:#e4e4e4} "
		"svg .roof{stroke:#999;stroke-dasharray:5 3} svg .frame{fill:none;stroke:#444} "
		"svg .heading{font-size:15px;font-weight:bold}</style>\n"
		"<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n<text x=\"%d\" y=\"32\" "
		"font-size=\"18\" font-weight=\"bold\">", WIDTH, y, WIDTH, y, WIDTH, y, MARGIN);
	put_title(to, profile);
	fprintf(to, "</text>\n<text x=\"%d\" y=\"52\">%.3f ms in commands, %lld worker%s, medians "
		"of %lld runs</text>\n%s</svg>\n", MARGIN, total,
		(long long)number(profile, "workers"), number(profile, "workers") == 1 ? "" : "s",
		(long long)number(profile, "runs"), body);
	free(body);
	return 0;
}

static int put_html(FILE *to, const json_t *profile, const json_t *const *sorted)
{
	int ret;

	fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>", to);
	put_title(to, profile);
	fputs("</title>\n<style>body{font-family:sans-serif;font-size:13px;max-width:1000px;"
	      "margin:auto;background:#fff;color:#000} svg{max-width:100%;height:auto} "
	      "table{border-collapse:collapse;margin:0 60px 40px} td,th{padding:2px 8px;"
	      "text-align:right;vertical-align:top;border-bottom:1px solid #e4e4e4} "
	      "th{position:sticky;top:0;background:#fff} .name{text-align:left} "
	      "small{color:#555;overflow-wrap:anywhere} i{display:inline-block;width:10px;"
	      "height:10px;margin-right:6px}</style></head><body>\n", to);
	ret = put_svg(to, profile, sorted, false);
	put_table(to, profile, sorted);
	fputs("</body></html>\n", to);
	return ret;
}

int nnactl_page_write(const json_t *profile, const char *path)
{
	const json_t **sorted = sort_commands(profile);
	FILE *file = sorted ? fopen(path, "we") : NULL;
	int ret = 0;

	if (!file) {
		ret = nnactl_error("%s: %s", path, strerror(sorted ? errno : ENOMEM));
		free(sorted);
		return ret;
	}
	if (is_svg(path))
		ret = put_svg(file, profile, sorted, true);
	else
		ret = put_html(file, profile, sorted);
	if (fclose(file) && !ret)
		ret = -errno;
	if (ret) {
		unlink(path);
		ret = nnactl_error("%s: %s", path, strerror(-ret));
	}
	free(sorted);
	return ret;
}
