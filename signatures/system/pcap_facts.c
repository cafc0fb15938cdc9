/* SPDX-License-Identifier: Apache-2.0
 * signatures/system/pcap_facts.c - facts of packet captures: when the first packet came. Source:
 * https://www.ietf.org/archive/id/draft-ietf-opsawg-pcap-05.html */
#include "base/bytes.h"
#include "signatures/facts/tell.h"
#include "signatures/system/system_facts.h"

void pcap_facts(struct sig_facts *facts)
{
    const uint8_t *head = tell_bytes(facts, 0, 28);

    if (head == NULL)
        return;
    const bool big = head[0] == 0xa1;
    tell_moment(facts, SIG_FACT_CREATED, big ? bytes_u32be(head + 24) : bytes_u32le(head + 24));
}
