// SPDX-License-Identifier: Apache-2.0
"use strict";
/* carver/report/html/page.js - the objects of a page: unpacked, filtered, sorted, and drawn for the window only.
 * Text goes into the page through textContent alone. */
(() => {
const $ = (id) => document.getElementById(id);
const make = (tag, className, text) => {
    const element = document.createElement(tag);
    if (className) element.className = className;
    if (text !== undefined) element.textContent = text;
    return element;
};
const STATES = ["complete", "footer", "truncated", "fragmented", "other"];
const PLACES = ["", "file", "deleted", "slack", "unallocated", "allocated", "metadata", "unpartitioned", "other"];
const PICTURES = new Set(["jpg", "png", "gif", "webp", "bmp"]);
const KNOWN = ["unchecked", "unknown", "known", "good", "bad"];
const CATEGORIES = ["pictures", "video", "sound", "documents", "mail", "databases", "archives", "keys", "system", "programs", "other"];
const FREE = [3, 4, 7]; /* places that are outside of files */
const ROW = 34, HEIGHT_MAX = 8e6; /* pixels; browsers end elements that are higher than some millions */
const HIGH = 4294967296;

/* What base64 in an element says, unpacked. */
async function unpack(id) {
    const element = $(id);
    if (!element) return null;
    const text = atob(element.textContent), bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    element.textContent = "";
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).arrayBuffer();
}

let C = null, N = 0, texts = 0, textAt = null, textBytes = null;
const kept = new Map(), decoder = new TextDecoder();

function text(number) {
    let value = kept.get(number);
    if (value === undefined) {
        value = decoder.decode(textBytes.subarray(textAt[number], textAt[number + 1]));
        if (kept.size > 200000) kept.clear();
        kept.set(number, value);
    }
    return value;
}

function readColumns(buffer) {
    const view = new DataView(buffer), headLen = view.getUint32(0, true);
    const head = JSON.parse(decoder.decode(new Uint8Array(buffer, 4, headLen)));
    let at = 4 + headLen;
    N = head.rows;
    texts = head.texts;
    C = {};
    for (const name of head.wide) {
        C[name] = new Uint32Array(buffer, at, N);
        at += 4 * N;
    }
    textAt = new Uint32Array(buffer, at, texts + 1);
    at += 4 * (texts + 1);
    for (const name of head.narrow) {
        C[name] = new Uint8Array(buffer, at, N);
        at += N;
    }
    textBytes = new Uint8Array(buffer, at, head.textBytes);
}

/* A number of two columns: exact as a BigInt, and as a Number for what is compared. */
const big = (name, row) => (BigInt(C[name + "High"][row]) << 32n) | BigInt(C[name][row]);
const number = (name, row) => C[name + "High"][row] * HIGH + C[name][row];
const hex16 = (row) => big("offset", row).toString(16).padStart(16, "0");
const nameOf = (row) => text(C.folder[row]) + hex16(row) + text(C.tail[row]);
const placeOf = (row) => {
    const place = PLACES[C.place[row]], volume = text(C.volume[row]), path = text(C.path[row]);
    const where = [volume, path].filter(Boolean).join(":");
    return place === "" ? "" : place === "file" ? where : where ? where + " (" + place + ")" : place;
};
/* The date that it says is its own; without a Z where it does not say in which zone. */
const dateOf = (row) => {
    if (!C.dated[row]) return "";
    const seconds = (C.dateHigh[row] | 0) * HIGH + C.date[row], date = new Date(seconds * 1000);
    return isNaN(date) ? "" : date.toISOString().slice(0, 19).replace("T", " ") + (C.dated[row] === 1 ? " Z" : "");
};
function bytesText(row) {
    const bytes = number("len", row);
    if (bytes < 1024) return bytes + " B";
    const units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let value = bytes / 1024, unit = 0;
    for (; value >= 1023.95 && unit < 5; unit++) value /= 1024;
    return value.toFixed(1) + " " + units[unit];
}
const count = (value) => value.toLocaleString("en-US");

/* ---- what is chosen ---- */

let shown = new Uint32Array(0), sortBy = "", sortDown = false, current = -1, byId = null;
const marked = new Set();
let lower = null; /* each text once, in small letters */

function wordsThatHave(query) {
    if (lower === null) {
        lower = new Array(texts);
        for (let i = 0; i < texts; i++)
            lower[i] = decoder.decode(textBytes.subarray(textAt[i], textAt[i + 1])).toLowerCase();
    }
    const has = new Uint8Array(texts);
    for (let i = 0; i < texts; i++) if (lower[i].includes(query)) has[i] = 1;
    return has;
}

function sizeOf(word) {
    const match = /^\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?\s*$/i.exec(word);
    return match ? Number(match[1]) * 1024 ** " kmgt".indexOf((match[2] || " ").toLowerCase()) : 0;
}

function settings() {
    return {
        q: $("f-q").value.trim().toLowerCase(), cat: $("f-cat").value, type: $("f-type").value, state: $("f-state").value,
        place: $("f-place").value, known: $("f-known").value, min: $("f-min").value.trim(), marked: $("f-marked").checked,
    };
}

function matcher(s) {
    const tests = [];
    const is = (column, list, word) => {
        const at = list.indexOf(word);
        tests.push((row) => column[row] === at);
    };
    if (s.cat) is(C.category, CATEGORIES, s.cat);
    if (s.state) is(C.state, STATES, s.state);
    if (s.known) is(C.known, KNOWN, s.known);
    if (s.place === "free") tests.push((row) => FREE.includes(C.place[row]));
    else if (s.place) is(C.place, PLACES, s.place === "unknown" ? "" : s.place);
    if (s.type) {
        const type = typeNumbers.get(s.type);
        tests.push((row) => C.type[row] === type);
    }
    if (s.marked) tests.push((row) => marked.has(row));
    const min = sizeOf(s.min);
    if (min > 0) tests.push((row) => number("len", row) >= min);
    if (range) tests.push((row) => {
        const offset = number("offset", row);
        return C.image[row] === range.image && offset < range.to && offset + number("len", row) > range.from;
    });
    if (s.q) {
        const has = wordsThatHave(s.q);
        const offset = /^(?:.*\/)?(?:0x)?([0-9a-f]{3,16})(?:[-.].*)?$/.exec(s.q);
        const digits = offset ? offset[1].replace(/^0+(?=.)/, "") : null;
        tests.push((row) => has[C.type[row]] || has[C.folder[row]] || has[C.tail[row]] || has[C.reason[row]] || has[C.path[row]] ||
            has[C.volume[row]] || has[C.facts[row]] || (digits !== null && number("offset", row).toString(16).includes(digits)));
    }
    return tests;
}

let range = null, typeNumbers = new Map();

function sortRows() {
    if (!sortBy) {
        if (sortDown) shown.reverse();
        return;
    }
    let key;
    if (sortBy === "len" || sortBy === "offset" || sortBy === "id") {
        key = new Float64Array(N);
        for (let i = 0; i < N; i++) key[i] = number(sortBy, i);
    } else if (sortBy === "date") { /* those without one behind all others */
        key = new Float64Array(N);
        for (let i = 0; i < N; i++) key[i] = C.dated[i] ? (C.dateHigh[i] | 0) * HIGH + C.date[i] : sortDown ? -Infinity : Infinity;
    } else {
        /* Texts in their order, each compared once. */
        const column = sortBy === "type" ? C.type : sortBy === "place" ? C.path : C[sortBy];
        if (sortBy === "type" || sortBy === "place") {
            const used = [...new Set(column)].sort((a, b) => (text(a) < text(b) ? -1 : 1));
            const rank = new Map(used.map((value, i) => [value, i]));
            key = new Float64Array(N);
            for (let i = 0; i < N; i++) key[i] = rank.get(column[i]);
        } else key = column;
    }
    const sign = sortDown ? -1 : 1;
    shown.sort((a, b) => (key[a] === key[b] ? a - b : sign * (key[a] < key[b] ? -1 : 1)));
}

function choose() {
    const s = settings(), tests = matcher(s), out = new Uint32Array(N);
    let n = 0;
    rows: for (let row = 0; row < N; row++) {
        for (let i = 0; i < tests.length; i++) if (!tests[i](row)) continue rows;
        out[n++] = row;
    }
    shown = out.slice(0, n);
    sortRows();
    $("status").textContent = (n === N ? "All " + count(N) + " objects" : count(n) + " of " + count(N) + " objects") +
        (marked.size ? ", " + count(marked.size) + " marked" : "") + (range ? ", in the chosen part of the map" : "") + ".";
    $("grid").setAttribute("aria-rowcount", n + 1);
    layOut();
}

/* ---- rows on screen ---- */

const COLUMNS = [
    ["mark", "", ""], ["id", "No.", "n"], ["type", "Type", ""], ["state", "State", ""], ["len", "Size", "n"],
    ["offset", "Offset", "n mono"], ["name", "Name", "mono"], ["place", "Place", ""], ["date", "Date", "mono"], ["known", "Known", ""],
];
const SORTABLE = new Set(["id", "type", "state", "len", "offset", "place", "date", "known"]);
let usedColumns = COLUMNS, scale = 1;

function drawHead() {
    const head = $("head");
    head.replaceChildren();
    for (const [key, title, className] of usedColumns) {
        const cell = make("div", "c-" + key + " " + className);
        cell.setAttribute("role", "columnheader");
        if (SORTABLE.has(key)) {
            const button = make("button", "", title), on = sortBy === key || (key === "offset" && !sortBy);
            button.type = "button";
            button.tabIndex = -1;
            cell.setAttribute("aria-sort", on ? (sortDown ? "descending" : "ascending") : "none");
            button.addEventListener("click", () => {
                sortDown = on ? !sortDown : key === "len";
                sortBy = key;
                drawHead();
                choose();
            });
            cell.append(button);
        } else cell.append(make("span", "", title));
        head.append(cell);
    }
}

function cell(row, key, className) {
    const element = make("div", "c-" + key + " " + className);
    element.setAttribute("role", "gridcell");
    switch (key) {
    case "mark": {
        const box = make("span", marked.has(row) ? "box on" : "box");
        box.setAttribute("role", "checkbox");
        box.setAttribute("aria-checked", String(marked.has(row)));
        box.setAttribute("aria-label", "mark");
        element.append(box);
        break;
    }
    case "id": element.textContent = big("id", row).toString(); break;
    case "type": element.append(make("i", "key m-" + CATEGORIES[C.category[row]]), text(C.type[row])); break;
    case "state": element.append(make("span", "state s-" + STATES[C.state[row]], STATES[C.state[row]])); break;
    case "len": element.textContent = bytesText(row); break;
    case "offset": element.textContent = "0x" + big("offset", row).toString(16); break;
    case "name": element.textContent = nameOf(row); break;
    case "place": /* the file system stands in the details */
        element.title = placeOf(row);
        element.textContent = C.path[row] ? text(C.path[row]) + (C.place[row] > 1 ? " (" + PLACES[C.place[row]] + ")" : "") : element.title;
        break;
    case "date": element.textContent = dateOf(row).slice(0, 16); break;
    case "known": element.append(make("span", "known k-" + KNOWN[C.known[row]], C.known[row] ? KNOWN[C.known[row]] : "")); break;
    }
    return element;
}

function draw() {
    const view = $("view"), rows = $("rows"), n = shown.length, height = view.clientHeight;
    const fits = Math.ceil(height / ROW) + 1, total = n * ROW, drawn = Math.min(total, HEIGHT_MAX);
    const room = Math.max(drawn - height, 1);
    scale = total > drawn ? Math.max(total - height, 0) / room : 1;
    const top = Math.min(view.scrollTop * scale, Math.max(total - height, 0));
    const first = Math.max(Math.floor(top / ROW), 0), last = Math.min(first + fits, n);
    rows.style.transform = "translateY(" + (view.scrollTop + first * ROW - top) + "px)";
    rows.replaceChildren();
    for (let i = first; i < last; i++) {
        const row = shown[i], line = make("div", "row" + (i === current ? " current" : ""));
        line.id = "r" + i;
        line.dataset.at = i;
        line.setAttribute("role", "row");
        line.setAttribute("aria-rowindex", i + 2);
        line.setAttribute("aria-selected", String(i === current));
        for (const [key, , className] of usedColumns) line.append(cell(row, key, className));
        rows.append(line);
    }
    if (current >= first && current < last) $("grid").setAttribute("aria-activedescendant", "r" + current);
    else $("grid").removeAttribute("aria-activedescendant");
}

function layOut() {
    $("space").style.height = Math.min(shown.length * ROW, HEIGHT_MAX) + "px";
    $("view").scrollTop = 0;
    current = -1;
    draw();
}

function moveTo(at) {
    if (shown.length === 0) return;
    current = Math.max(0, Math.min(at, shown.length - 1));
    const view = $("view"), height = view.clientHeight, top = view.scrollTop * scale;
    if (current * ROW < top) view.scrollTop = (current * ROW) / scale;
    else if ((current + 1) * ROW > top + height) view.scrollTop = ((current + 1) * ROW - height) / scale;
    draw();
    detail(shown[current]);
}

function toggle(row) {
    if (marked.has(row)) marked.delete(row);
    else marked.add(row);
    draw();
    detail(row);
}

/* ---- one object ---- */

let hashes = null, hashesAsked = null;

/* They stand behind the script: they are there when the browser has read the whole page. */
async function readHashes() {
    if (document.readyState === "loading") await new Promise((done) => addEventListener("DOMContentLoaded", done));
    const buffer = await unpack("hashes");
    hashes = buffer ? new Uint8Array(buffer) : null;
}

async function hashOf(row) {
    await (hashesAsked ??= readHashes());
    if (!hashes) return "";
    const bytes = hashes.subarray(32 * row, 32 * row + 32);
    return bytes.some((byte) => byte) ? [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("") : "";
}

let detailOf = -1;

async function detail(row) {
    const pane = $("detail"), list = make("dl");
    detailOf = row;
    const sha256 = await hashOf(row);
    if (detailOf !== row) return;
    const add = (name, value, className) => {
        if (!value) return;
        const data = make("dd", className || "");
        data.append(value);
        list.append(make("dt", "", name), data);
    };
    const link = (other) => {
        const anchor = make("a", "mono", nameOf(other));
        anchor.href = "#id=" + big("id", other);
        return anchor;
    };
    add("State", STATES[C.state[row]] + " — " + text(C.reason[row]));
    add("Size", bytesText(row) + " (" + big("len", row).toLocaleString("en-US") + " bytes)");
    add("Offset", "0x" + big("offset", row).toString(16) + " (" + big("offset", row) + ")", "mono");
    add("Pieces", text(C.pieces[row]), "mono");
    add("Image", imageCount > 1 ? String(C.image[row]) : "");
    add("Date", dateOf(row));
    add("Place", placeOf(row));
    add("Known", C.known[row] ? KNOWN[C.known[row]] : "");
    add("SHA-256", sha256, "mono hash");
    if (C.parent[row]) add("Inside of", link(C.parent[row] - 1));
    add("It says", text(C.facts[row]));
    add("Category", CATEGORIES[C.category[row]]);
    const heading = make("h3", "mono"), picture = $("t" + big("id", row));
    const file = document.body.dataset.link && document.body.dataset.link + "/" + nameOf(row);
    const name = make(file ? "a" : "span", "", nameOf(row));
    if (file) name.href = file;
    heading.append(name);
    const mark = make("button", "", marked.has(row) ? "Unmark" : "Mark");
    mark.type = "button";
    mark.addEventListener("click", () => toggle(row));
    const parts = [heading];
    const shown = file && PICTURES.has(text(C.type[row])) && KNOWN[C.known[row]] !== "bad";
    if (picture || shown) {
        const copy = make("img");
        copy.src = shown ? file : picture.src;
        copy.alt = "";
        parts.push(copy);
    }
    parts.push(list, make("p", "note", "To get its bytes:"), make("pre", "", "burin cat " + caseName + " " + big("id", row) + " > " +
        nameOf(row).split("/").pop()), mark);
    pane.replaceChildren(...parts);
}

/* ---- what leaves the page ---- */

function save(name, parts, type) {
    const anchor = make("a");
    anchor.href = URL.createObjectURL(new Blob(parts, { type }));
    anchor.download = name;
    anchor.click();
    setTimeout(() => URL.revokeObjectURL(anchor.href), 1000);
}

function csvField(value) {
    if (/^'*[=+\-@]/.test(value)) value = "'" + value;
    return /[",\r\n]/.test(value) ? '"' + value.replaceAll('"', '""') + '"' : value;
}

async function saveCsv() {
    const parts = ["id,image,type,category,state,reason,offset,length,sha256,known,parent,name,place,volume,path,date,facts\r\n"];
    for (const row of shown) {
        const parent = C.parent[row] ? big("id", C.parent[row] - 1).toString() : "";
        parts.push([big("id", row), C.image[row], text(C.type[row]), CATEGORIES[C.category[row]], STATES[C.state[row]], text(C.reason[row]),
            big("offset", row), big("len", row), await hashOf(row), KNOWN[C.known[row]], parent, nameOf(row), PLACES[C.place[row]],
            text(C.volume[row]), text(C.path[row]), dateOf(row), text(C.facts[row])].map((value) => csvField(String(value))).join(",") + "\r\n");
    }
    save("objects.csv", parts, "text/csv");
}

/* ---- the address of a choice ---- */

const FIELDS = ["q", "cat", "type", "state", "place", "known", "min"];
let writing = false;

function writeAddress() {
    const s = settings(), words = new URLSearchParams();
    for (const key of FIELDS) if (s[key]) words.set(key, s[key]);
    if (range) {
        words.set("image", range.image);
        words.set("from", "0x" + range.from.toString(16));
        words.set("to", "0x" + range.to.toString(16));
    }
    writing = true;
    history.replaceState(null, "", words.size || location.hash.includes("=") ? "#" + words : location.hash || "#");
    writing = false;
}

/* A link of this page: to a section, to an object (id=17), or to a choice (cat=keys&state=complete). */
function readAddress() {
    const words = new URLSearchParams(location.hash.slice(1));
    if (!location.hash.includes("=") || writing) return;
    const id = words.get("id");
    if (id === null || FIELDS.some((key) => words.has(key))) {
        for (const key of FIELDS) $("f-" + key).value = words.get(key) || "";
        range = words.has("from") ? { image: Number(words.get("image") || 1), from: Number(words.get("from")), to: Number(words.get("to")) } : null;
        fillTypes();
        $("f-type").value = words.get("type") || "";
    }
    choose();
    if (id !== null) showObject(id);
    $("objects").scrollIntoView();
}

function showObject(id) {
    if (byId === null) {
        byId = new Map();
        for (let row = 0; row < N; row++) byId.set(number("id", row), row);
    }
    const row = byId.get(Number(id));
    if (row === undefined) return;
    let at = shown.indexOf(row);
    if (at < 0) {
        $("filters").reset();
        range = null;
        choose();
        at = shown.indexOf(row);
    }
    moveTo(at);
}

/* ---- the start ---- */

function fill(id, words, counts, any) {
    const select = $(id);
    select.replaceChildren(new Option(any, ""));
    words.forEach((word, i) => {
        if (counts[i]) select.append(new Option((word || "unknown") + " (" + count(counts[i]) + ")", word || "unknown"));
    });
}

function tally(column, length) {
    const counts = new Array(length).fill(0);
    for (let i = 0; i < N; i++) counts[column[i]]++;
    return counts;
}

/* Types of the chosen category, the most frequent first. */
function fillTypes() {
    const cat = CATEGORIES.indexOf($("f-cat").value), counts = new Map(), before = $("f-type").value;
    for (let i = 0; i < N; i++) if (cat < 0 || C.category[i] === cat) counts.set(C.type[i], (counts.get(C.type[i]) || 0) + 1);
    const sorted = [...counts].sort((a, b) => b[1] - a[1]);
    typeNumbers = new Map(sorted.map(([type]) => [text(type), type]));
    fill("f-type", sorted.map(([type]) => text(type)), sorted.map(([, n]) => n), "all");
    $("f-type").value = typeNumbers.has(before) ? before : "";
}

let timer = 0;
function changed(event) {
    clearTimeout(timer);
    timer = setTimeout(() => {
        if (event.target.id === "f-cat") fillTypes();
        choose();
        writeAddress();
    }, event.type === "input" ? 150 : 0);
}

function listen() {
    $("filters").addEventListener("input", changed);
    $("filters").addEventListener("submit", (event) => event.preventDefault());
    $("filters").addEventListener("reset", () => setTimeout(() => {
        range = null;
        fillTypes();
        choose();
        writeAddress();
    }));
    $("view").addEventListener("scroll", draw, { passive: true });
    new ResizeObserver(draw).observe($("view"));
    $("rows").addEventListener("click", (event) => {
        const line = event.target.closest(".row");
        if (!line) return;
        const at = Number(line.dataset.at);
        if (event.target.closest(".c-mark")) toggle(shown[at]);
        moveTo(at);
    });
    $("grid").addEventListener("keydown", (event) => {
        const page = Math.max(Math.floor($("view").clientHeight / ROW) - 1, 1);
        const to = { ArrowDown: current + 1, ArrowUp: current - 1, PageDown: current + page, PageUp: current - page, Home: 0, End: shown.length }[event.key];
        if (to !== undefined) moveTo(to);
        else if (event.key === " " && current >= 0 && event.target.id === "grid") toggle(shown[current]);
        else return;
        event.preventDefault();
    });
    for (const map of document.querySelectorAll(".map svg"))
        map.addEventListener("click", (event) => {
            const rect = event.target.closest("rect[data-from]");
            if (rect) location.hash = "#image=" + map.dataset.image + "&from=" + rect.dataset.from + "&to=" + rect.dataset.to;
        });
    $("b-csv").addEventListener("click", saveCsv);
    $("b-ids").addEventListener("click", () => save("marked.txt", [[...marked].sort((a, b) => a - b).map((row) => big("id", row) + "\n").join("")], "text/plain"));
    addEventListener("hashchange", readAddress);
}

const caseName = document.body.dataset.case, imageCount = Number(document.body.dataset.images);

async function start() {
    readColumns(await unpack("data"));
    const dates = tally(C.dated, 3), known = tally(C.known, KNOWN.length), places = tally(C.place, PLACES.length);
    /* A name says type and offset again: the path of a file says more, where there is one. */
    usedColumns = COLUMNS.filter(([key]) => (key !== "known" || known[0] < N) && (key !== "date" || dates[0] < N) && key !== (places[0] < N ? "name" : "place"));
    $("grid").classList.toggle("no-known", known[0] === N);
    $("grid").classList.toggle("no-date", dates[0] === N);
    fill("f-cat", CATEGORIES, tally(C.category, CATEGORIES.length), "all");
    fill("f-state", STATES, tally(C.state, STATES.length), "all");
    fill("f-place", PLACES, places, "all");
    if (FREE.some((place) => places[place])) $("f-place").append(new Option("outside of files", "free"));
    fill("f-known", KNOWN, known, "all");
    $("f-place").parentElement.hidden = places[0] === N;
    $("f-known").parentElement.hidden = known[0] === N;
    fillTypes();
    document.documentElement.classList.add("js");
    $("browser").hidden = false;
    drawHead();
    listen();
    if (location.hash.includes("=")) readAddress();
    else choose();
    document.documentElement.dataset.ready = N;
}

start().catch((error) => {
    $("browser").hidden = false;
    $("status").textContent = "This browser cannot show all objects (" + error.message + "); the first ones are below.";
});
})();
