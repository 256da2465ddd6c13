// SPDX-License-Identifier: MIT
#include "tools/nnactl/peaks.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The best of so many measurements counts. */
#define ROUNDS 20
/* A loop turns so often; for one measurement, about a millisecond, it is called so often. */
#define TURNS 1000
#define CALLS 100
/* Bytes that a measurement of memory moves. */
#define MOVED (64u << 20)

/* Working sets: in the caches of a core, in those that cores share, in memory. */
static const uint64_t WORKING_SETS[NNACTL_PEAKS_MEMORY] = { 256u << 10, 4u << 20, 64u << 20 };

/**
 * struct isa - what is measured with some instructions
 * @integer: a loop that multiplies 8-bit numbers and adds
 * @real: the same with fp32
 * @requantise: a loop that requantises
 * @integers, @reals, @requantised: how many of them one turn does
 */
struct isa {
	const char *name;
	void (*integer)(void), (*real)(void), (*requantise)(void);
	uint32_t integers, reals, requantised;
};

#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>

#define STEPS(step)                                                                                \
	step(0) step(1) step(2) step(3) step(4) step(5) step(6) step(7) step(8) step(9) step(10)   \
	step(11)
#define CLOBBERS                                                                                   \
	"xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",   \
	"xmm11", "xmm14", "xmm15"
/* Twelve independent sums of products of zeros. */
#define LOOP(name, step)                                                                           \
	static void name(void)                                                                     \
	{                                                                                          \
		__asm__ volatile("vpxor %%xmm15, %%xmm15, %%xmm15" ::: CLOBBERS);                  \
		for (int i = 0; i < TURNS; i++)                                                    \
			__asm__ volatile(STEPS(step) ::: CLOBBERS);                                \
		__asm__ volatile("vzeroupper" ::: CLOBBERS);                                       \
	}

/* Pairs of 16-bit products: 8-bit ones with saturating sums are of no use. */
#define STEP_PAIRS(n)                                                                              \
	"vpmaddwd %%ymm15, %%ymm15, %%ymm14\n\t"                                                   \
	"vpaddd %%ymm14, %%ymm" #n ", %%ymm" #n "\n\t"
#define STEP_QUADS_YMM(n) "%{vex%} vpdpbusd %%ymm15, %%ymm15, %%ymm" #n "\n\t"
#define STEP_QUADS(n) "vpdpbusd %%zmm15, %%zmm15, %%zmm" #n "\n\t"
#define STEP_YMM(n) "vfmadd231ps %%ymm15, %%ymm15, %%ymm" #n "\n\t"
#define STEP_ZMM(n) "vfmadd231ps %%zmm15, %%zmm15, %%zmm" #n "\n\t"

LOOP(pairs_avx2, STEP_PAIRS)
LOOP(quads_avxvnni, STEP_QUADS_YMM)
LOOP(quads_avx512, STEP_QUADS)
LOOP(real_avx2, STEP_YMM)
LOOP(real_avx512, STEP_ZMM)

/* Zeros that depend on nothing and of which the compiler does not know; what it has to make. */
#define ANY(v) __asm__ volatile("vpxor %x0, %x0, %x0" : "=x"(v))
#define USE(v) __asm__ volatile("" ::"v"(v))

/* Sums: 64-bit products of the even and the odd lanes, rounded, shifted, and put together. */
__attribute__((target("avx2"))) static inline __m256i scaled_avx2(__m256i multiplier,
								  __m256i round, __m256i shift)
{
	__m256i sums, even, odd;

	ANY(sums);
	even = _mm256_mul_epi32(sums, multiplier);
	odd = _mm256_mul_epi32(_mm256_srli_epi64(sums, 32), multiplier);
	even = _mm256_srlv_epi64(_mm256_add_epi64(even, round), shift);
	odd = _mm256_srlv_epi64(_mm256_add_epi64(odd, round), shift);
	return _mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xaa);
}

/* A turn makes 32 outputs: to 32 bits, saturated to 16 and 8, clamped. */
__attribute__((target("avx2"))) static void requantise_avx2(void)
{
	const __m256i multiplier = _mm256_set1_epi32(0x50000000),
		      round = _mm256_set1_epi64x(1ll << 40), shift = _mm256_set1_epi64x(41);

	for (int i = 0; i < TURNS; i++) {
		__m256i first = _mm256_packs_epi32(scaled_avx2(multiplier, round, shift),
						   scaled_avx2(multiplier, round, shift)),
			last = _mm256_packs_epi32(scaled_avx2(multiplier, round, shift),
						  scaled_avx2(multiplier, round, shift)),
			out = _mm256_packus_epi16(first, last);

		out = _mm256_max_epu8(_mm256_min_epu8(out, multiplier), round);
		USE(out);
	}
}

/* A turn makes 16 outputs. */
__attribute__((target("avx512f"))) static void requantise_avx512(void)
{
	const __m512i multiplier = _mm512_set1_epi32(0x50000000),
		      round = _mm512_set1_epi64(1ll << 40), shift = _mm512_set1_epi64(41);

	for (int i = 0; i < TURNS; i++) {
		__m512i sums, even, odd;
		__m128i out;

		ANY(sums);
		even = _mm512_mul_epi32(sums, multiplier);
		odd = _mm512_mul_epi32(_mm512_srli_epi64(sums, 32), multiplier);
		even = _mm512_srav_epi64(_mm512_add_epi64(even, round), shift);
		odd = _mm512_srav_epi64(_mm512_add_epi64(odd, round), shift);
		out = _mm512_cvtsepi32_epi8(
			_mm512_mask_blend_epi32(0xaaaa, even, _mm512_slli_epi64(odd, 32)));
		USE(out);
	}
}

static const struct isa *find_isa(void)
{
	static const struct isa avx512 = { "avx512", quads_avx512, real_avx512, requantise_avx512,
					   12 * 64, 12 * 16, 16 };
	static const struct isa avx2 = { "avx2", pairs_avx2, real_avx2, requantise_avx2,
					 12 * 16, 12 * 8, 32 };
	static const struct isa avxvnni = { "avxvnni", quads_avxvnni, real_avx2, requantise_avx2,
					    12 * 32, 12 * 8, 32 };
	unsigned int a, b, c, d;

	__builtin_cpu_init();
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vnni"))
		return &avx512;
	if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
		return NULL;
	/* clang 14 cannot be asked for it. */
	return __get_cpuid_count(7, 1, &a, &b, &c, &d) && (a & bit_AVXVNNI) ? &avxvnni : &avx2;
}
#else
static const struct isa *find_isa(void)
{
	return NULL;
}
#endif

/* Seconds that this thread has run. */
static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double measure_loop(void (*loop)(void), uint32_t count)
{
	double best = 0;

	for (int i = 0; i < ROUNDS; i++) {
		double begin = now(), rate;

		for (int n = 0; n < CALLS; n++)
			loop();
		rate = (double)CALLS * TURNS * count / (now() - begin);
		if (rate > best)
			best = rate;
	}
	return best;
}

/* Copies between the halves of @bytes of @memory. */
static double measure_memory(char *memory, size_t bytes)
{
	size_t half = bytes / 2, moved = 0;
	double begin, took;

	memset(memory, 1, bytes);
	begin = now();
	do {
		memcpy(memory, memory + half, half);
		__asm__ volatile("" ::"r"(memory) : "memory");
		moved += 2 * half;
		took = now() - begin;
	} while (moved < MOVED || took <= 0);
	return (double)moved / took;
}

/**
 * struct team - the threads that measure, each the same things in turn
 * @isa: what they measure
 * @lock: of what follows
 * @peaks: to which they add what they have reached
 * @no_memory: one of them had none
 */
struct team {
	const struct isa *isa;
	pthread_mutex_t lock;
	struct nnactl_peaks *peaks;
	bool no_memory;
};

static void add(struct team *t, double *sum, double rate)
{
	pthread_mutex_lock(&t->lock);
	*sum += rate;
	pthread_mutex_unlock(&t->lock);
}

static void *measure(void *arg)
{
	struct team *t = arg;
	struct nnactl_peaks *p = t->peaks;
	char *memory = malloc(WORKING_SETS[NNACTL_PEAKS_MEMORY - 1] / p->threads);

	if (!memory) {
		pthread_mutex_lock(&t->lock);
		t->no_memory = true;
		pthread_mutex_unlock(&t->lock);
		return NULL;
	}
	add(t, &p->integer, measure_loop(t->isa->integer, t->isa->integers));
	add(t, &p->real, measure_loop(t->isa->real, t->isa->reals));
	add(t, &p->requantised, measure_loop(t->isa->requantise, t->isa->requantised));
	for (uint32_t i = 0; i < NNACTL_PEAKS_MEMORY; i++)
		add(t, &p->memory[i].rate, measure_memory(memory, WORKING_SETS[i] / p->threads));
	free(memory);
	return NULL;
}

static int run_team(struct team *t)
{
	const uint32_t others = t->peaks->threads - 1;
	pthread_t *threads = calloc(others + 1, sizeof(*threads));
	uint32_t n = 0;
	int ret = 0;

	if (!threads)
		return -ENOMEM;
	while (n < others && !ret) {
		ret = -pthread_create(&threads[n], NULL, measure, t);
		n += !ret;
	}
	if (!ret)
		measure(t);
	while (n)
		pthread_join(threads[--n], NULL);
	free(threads);
	return t->no_memory ? -ENOMEM : ret;
}

int nnactl_peaks_measure(uint32_t threads, struct nnactl_peaks *peaks)
{
	struct team t = { .isa = find_isa(), .peaks = peaks };
	int ret;

	*peaks = (struct nnactl_peaks){ .threads = threads };
	for (uint32_t i = 0; i < NNACTL_PEAKS_MEMORY; i++)
		peaks->memory[i].bytes = WORKING_SETS[i];
	if (!t.isa)
		return 0;
	pthread_mutex_init(&t.lock, NULL);
	ret = run_team(&t);
	pthread_mutex_destroy(&t.lock);
	if (!ret)
		snprintf(peaks->isa, sizeof(peaks->isa), "%s", t.isa->name);
	return ret;
}
