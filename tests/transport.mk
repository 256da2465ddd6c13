# SPDX-License-Identifier: MIT
#
# make fuzz-vfio-user: the server's socket against a hostile client, for FUZZ_SECONDS, with the real
# model behind it; built as tests/device.mk builds its own.
TRANSPORT_FUZZ_OBJS := $(patsubst %.c,build-fuzz/%.o,$(TRANSPORT_SRCS) tests/fuzz/fuzz_vfio_user.c)

.PHONY: fuzz-vfio-user
fuzz: fuzz-vfio-user
fuzz-vfio-user: build-fuzz/fuzz_vfio_user
	@mkdir -p build-fuzz/corpus-vfio-user
	build-fuzz/fuzz_vfio_user -max_total_time=$(FUZZ_SECONDS) -timeout=20 -max_len=4096 \
		-len_control=0 -artifact_prefix=build-fuzz/ build-fuzz/corpus-vfio-user

$(TRANSPORT_FUZZ_OBJS): build-fuzz/%.o: %.c $(wildcard device/transport/*.h device/include/*.h)
	@mkdir -p $(@D)
	clang $(CPPFLAGS) -O1 -g -std=c11 $(WARN) -pthread $(FUZZ_FLAGS) -c -o $@ $<

build-fuzz/fuzz_vfio_user: $(TRANSPORT_FUZZ_OBJS) $(filter-out %/fuzz_device.o,$(FUZZ_OBJS)) \
		$(ENGINE_OBJS)
	clang -pthread $(FUZZ_FLAGS) -fsanitize=fuzzer -o $@ $^ -lm
