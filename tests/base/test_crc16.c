/* SPDX-License-Identifier: Apache-2.0
 * tests/base/test_crc16.c - the check value of the catalogue of parametrised CRC
 * algorithms: CRC-16/UMTS of "123456789". */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/crc16.h"

static void test_check_value(void **unused)
{
    static const uint8_t digits[] = "1234567891234567891234";
    struct crc16 crc;

    (void)unused;
    crc16_init(&crc, CRC16_SOUND);
    assert_int_equal(crc16_add(&crc, 0, digits, 9), 0xfee8);
    for (size_t cut = 0; cut <= 22; cut++) /* however it is cut */
        assert_int_equal(crc16_add(&crc, crc16_add(&crc, 0, digits, cut), digits + cut, 22 - cut),
                         crc16_add(&crc, 0, digits, 22));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_check_value) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
