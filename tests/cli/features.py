# SPDX-License-Identifier: Apache-2.0
"""features.py make IMAGE WANT ENCODING... - an image with features and near misses of them, and the lines that a search must give."""
import hashlib, random, sys

SEGMENT = 64 << 10
PART = 128 << 10
SIZE = 1 << 20
rng = random.Random(21)


def luhn(digits):
    total = sum(int(d) if i % 2 else sum(divmod(2 * int(d), 10)) for i, d in enumerate(reversed(digits)))
    return digits + str(-total % 10)


def iban(country, body):
    number = "".join(str(int(c, 36)) for c in body + country + "00")
    return f"{country}{98 - int(number) % 97:02}{body}"


def base58(payload):
    whole = payload + hashlib.sha256(hashlib.sha256(payload).digest()).digest()[:4]
    letters = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
    number, text = int.from_bytes(whole, "big"), ""
    while number:
        number, rest = divmod(number, 58)
        text = letters[rest] + text
    return "1" * (len(whole) - len(whole.lstrip(b"\0"))) + text


def digits(count):
    return "".join(rng.choice("0123456789") for _ in range(count))


def other(text, at):
    """The text with another digit at this place."""
    return text[:at] + str((int(text[at]) + rng.randrange(1, 10)) % 10) + text[at + 1:]


def feature():
    """A pack's name, a feature of it, and a near miss."""
    pack = rng.choice(["email", "url", "phone", "card", "iban", "ip", "btc"])
    if pack == "email":
        name = f"user{digits(4)}@host{digits(3)}.example.com"
        return pack, name, name.replace("example.com", "example.nosuchtld")
    if pack == "url":
        name = f"https://host{digits(3)}.example.net/a/{digits(5)}"
        return pack, name, name.replace("https", "htxps")
    if pack == "phone":
        return pack, "+1 212-555-0" + digits(3), "+1 112-555-0" + digits(3)
    if pack == "card":
        number = luhn("4539" + digits(11))
        return pack, number, other(number, 15)
    if pack == "iban":
        number = iban("DE", digits(18))
        return pack, number, other(number, 10)
    if pack == "ip":
        number = f"10.{rng.randrange(256)}.{rng.randrange(256)}.{rng.randrange(1, 255)}"
        return pack, number, number + ".77"
    number = base58(b"\0" + rng.randbytes(20))
    return pack, number, number[:-1] + ("z" if number[-1] != "z" else "y")


def make(image, want, *encodings):
    data = bytearray(rng.choice(b"\x01\x02\x80\xfe\xff") for _ in range(SIZE))
    taken = []
    lines = []

    def put(at, pack, text, encoding, right):
        raw = text.encode("ascii" if encoding == "utf-8" else encoding)
        if at < 0 or at + len(raw) > SIZE or any(a - 8 < at + len(raw) and at < b + 8 for a, b in taken):
            return
        taken.append((at, at + len(raw)))
        data[at:at + len(raw)] = raw
        if right:
            lines.append((at, pack, encoding, text))

    last = "5555555555554444"
    put(0, "card", "4111111111111111", encodings[0], True)
    put(SIZE - len(last) * (1 if encodings[0] == "utf-8" else 2), "card", last, encodings[0], True)
    for edge in range(SEGMENT, SIZE, SEGMENT):
        pack, text, miss = feature()
        encoding = rng.choice(encodings)
        put(edge - rng.randrange(len(text) + 2), pack, text, encoding, True)
    for _ in range(3000):
        pack, text, miss = feature()
        encoding = rng.choice(encodings)
        right = rng.random() < 0.6
        put(rng.randrange(SIZE), pack, text if right else miss, encoding, right)
    for at in range(1000, SIZE, 99991):
        put(at, "needle", "needle", "utf-8", False)
    with open(image, "wb") as f:
        f.write(data)
    with open(want, "w") as f:
        for at, pack, encoding, text in sorted(lines):
            f.write(f"{at}\t{pack}\t{encoding}\t{text}\n")


make(*sys.argv[2:])
