import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { createLabelFiles } from "../../src/settings/labels-file.ts";

const folder = mkdtempSync(path.join(os.tmpdir(), "periscope-labels-"));
afterAll(() => rmSync(folder, { recursive: true }));

const FAUCET = "0x2bd806c97f0e00af1a1fc3328fa763a9269723c8";
const OTHER = `0x${"ab".repeat(20)}` as const;
const CHAIN = 5;

/** Writes a file of labels and reads it; its path and the labels of a chain. */
function read(name: string, content: string | Buffer, files = createLabelFiles()) {
  const file = path.join(folder, name);
  writeFileSync(file, content);
  utimesSync(file, 1_751_500_812, 1_751_500_812.9);
  files.read([{ LABELS_FILE: file }]);
  return files.labels(file, CHAIN);
}

/** What is wrong with a file, without its folder. */
function faultOf(name: string, content: string | Buffer): string {
  try {
    read(name, content);
    return "none";
  } catch (error) {
    const [, line = ""] = (error as Error).message.split("\n");
    return line.trim().replace(`${folder}/`, "");
  }
}

const ROW = {
  address: FAUCET,
  name: 'Faucet, the "big" one',
  tags: ["Test net", "Ops"],
  url: "https://example.org/faucet",
  note: "Gives a coin a day",
};
const CSV = `\u{feff}note,url,tags,name,address,chainid\r
Gives a coin a day,https://example.org/faucet, Test net ; Ops ,"Faucet, the ""big"" one",${FAUCET},\r
\r
,,,Five's,${FAUCET},5\n,,,Mint,${OTHER},`;

test("JSON and CSV say the same; a row of the chain replaces a general one", () => {
  const json = read("a.json", JSON.stringify([ROW, { address: OTHER, name: " Mint " }]));
  expect(json.find(FAUCET)).toEqual(ROW);
  expect(json.find(OTHER)).toMatchObject({ name: "Mint", tags: [], url: "", note: "" });
  expect(json.changedAt).toBe(1_751_500_812);
  const csv = read("a.csv", CSV);
  expect(csv.find(FAUCET)?.name).toBe("Five's");
  expect(csv.find(OTHER)).toEqual(json.find(OTHER));
  const files = createLabelFiles();
  read("a.csv", CSV, files);
  expect(files.labels(path.join(folder, "a.csv"), 6).find(FAUCET)).toEqual(ROW);
});

test("a search finds names and their words, in any letter case, whole names first, and is no pattern", () => {
  const names = [
    "Old Harbour",
    "harbour (east)",
    "Harbour",
    "Harbourage",
    "my-harbour",
    "xharbour",
    "50%",
  ];
  const rows = names.map((name, index) => ({ address: `0x${String(index).repeat(40)}`, name }));
  const { search } = read(
    "b.json",
    JSON.stringify([...rows, { ...rows[2], chainid: 5, name: "Pier" }]),
  );
  const found = (text: string) => search(text).map((address) => names[Number(address[2])]);
  expect(found("HARB")).toEqual(["harbour (east)", "Harbourage", "my-harbour", "Old Harbour"]);
  expect(found("pier")).toEqual(["Harbour"]);
  expect(found("(east)")).toEqual(["harbour (east)"]);
  expect(found("50%")).toEqual(["50%"]);
  expect(found(".*")).toEqual([]);
});

const row = (fields: object) =>
  JSON.stringify([
    { address: OTHER, name: "a" },
    { ...ROW, ...fields },
  ]);
const csvRow = (line: string) => `address,name,tags\n${OTHER},a,\n${line}`;
const FIELDS = "address, chainid, name, tags, url, note";
test.each<[fault: string, name: string, content: string | Buffer]>([
  ["must end in .json or .csv", "c.txt", "[]"],
  [
    "c.json:1: address has a wrong checksum (EIP-55), so a digit may be wrong: copy it again",
    "c.json",
    row({ address: FAUCET.replace("c8", "C8") }),
  ],
  ["c.json:1: address must be 0x and 40 hexadecimal digits", "c.json", row({ address: "0x1" })],
  ["c.json:1: name is missing", "c.json", row({ name: undefined })],
  ["c.json:1: name must be text", "c.json", row({ name: 7 })],
  ["c.json:1: name must have 1 to 64 characters", "c.json", row({ name: " " })],
  ["c.json:1: name must have 1 to 64 characters", "c.json", row({ name: "😀".repeat(65) })],
  ["none", "c.json", row({ name: "😀".repeat(64) })],
  ...["\u202e", "\u200b", "\n", "\0", "\u2028", "\u{e0041}", "\ud800", "\u00ad", "\u3164"].map(
    (hidden): [string, string, string] => [
      "c.json:1: note must have no control, direction or invisible characters",
      "c.json",
      row({ note: `a${hidden}b` }),
    ],
  ),
  ["c.json:1: tags must be 8 at most", "c.json", row({ tags: Array(9).fill("a") })],
  ["c.json:1: tags must have 1 to 32 characters", "c.json", row({ tags: ["a", "b".repeat(33)] })],
  ["c.json:1: tags must be a list", "c.json", row({ tags: "a;b" })],
  [
    "c.json:1: url must be a URL like http://… or https://…",
    "c.json",
    row({ url: "javascript:alert(1)" }),
  ],
  [
    "c.json:1: chainid must be a decimal number, without zeros in front",
    "c.json",
    row({ chainid: "0x5" }),
  ],
  ["c.json:1: chainid must be a decimal number", "c.json", row({ chainid: null })],
  [`c.json:1: it must have no other field than ${FIELDS}`, "c.json", row({ nametag: "a" })],
  ["c.json:1: it must be an object", "c.json", `[{"address":"${OTHER}","name":"a"}, 7]`],
  [
    "c.json:1: address stands there twice for one chain: remove one",
    "c.json",
    row({ address: OTHER.toUpperCase().replace("X", "x") }),
  ],
  ["c.json:0: must be a list: [{…}, …]", "c.json", "{}"],
  ["c.json:3: must be JSON, but is not from here on", "c.json", '[\n{"address":\n}]'],
  ["c.json:2: must be JSON, but is not from here on", "c.json", "[\n"],
  [
    "c.json:3: name stands twice in one object",
    "c.json",
    `[{"name": "a",\n"address": "${OTHER}",\n"n\\u0061me": "b"}]`,
  ],
  ["c.json:0: must be saved as UTF-8", "c.json", Buffer.from([0x5b, 0xff, 0x5d])],
  ["c.json:0: must be a file of at most 16 MiB", "c.json", Buffer.alloc(16 * 1024 * 1024 + 1, " ")],
  ["c.json:100000: must have 100,000 rows at most", "c.json", `[${"0,".repeat(100_000)}0]`],
  // A text of its own length would overflow the stack of a pattern.
  [
    "c.json:0: name must have 1 to 64 characters",
    "c.json",
    `[{"address":"${OTHER}","name":"${"\\\\".repeat(4_000_000)}"}]`,
  ],
  ["c.csv:3: must be CSV: close each quote, double those inside", "c.csv", csvRow(`${FAUCET},"a`)],
  [
    "c.csv:3: must be CSV: close each quote, double those inside",
    "c.csv",
    csvRow(`${FAUCET},"${'""'.repeat(4_000_000)}",`),
  ],
  [
    "c.csv:3: must be CSV: close each quote, double those inside",
    "c.csv",
    csvRow(`${FAUCET},"a"b,`),
  ],
  ["c.csv:3: has 2 fields, but the first line 3", "c.csv", csvRow(`${FAUCET},a`)],
  ["c.csv:4: name is missing", "c.csv", csvRow(`"${FAUCET}",a,"x"\n${FAUCET},,`)],
  ["c.csv:3: tags must have 1 to 32 characters", "c.csv", csvRow(`${FAUCET},a,x;;y`)],
  [
    `c.csv:1: must begin with the names of fields, each once: ${FIELDS}`,
    "c.csv",
    `adress,name\n${OTHER},a`,
  ],
  [`c.csv:1: must begin with the names of fields, each once: ${FIELDS}`, "c.csv", "name,name\n"],
  ["none", "c.csv", ""],
])("%s", (fault, name, content) => {
  expect(faultOf(name, content)).toBe(
    fault === "none" || fault.startsWith("none") ? "none" : `LABELS_FILE ${fault}`,
  );
});

test("a file that is not there, or a folder, is named", () => {
  const files = createLabelFiles();
  const reading = (file: string) => () => files.read([{ LABELS_FILE: path.join(folder, file) }]);
  expect(reading("none.json")).toThrow(
    /LABELS_FILE must be a file that this user can read, but there is none/,
  );
  expect(() => files.read([{ LABELS_FILE: folder }])).toThrow(/must end in \.json or \.csv/);
});

test("a file with a fault changes no labels, of no file", () => {
  const files = createLabelFiles();
  read("good.json", JSON.stringify([ROW]), files);
  const [good, bad] = ["good.json", "bad.json"].map((name) => path.join(folder, name));
  writeFileSync(good ?? "", JSON.stringify([{ ...ROW, name: "Changed" }]));
  writeFileSync(bad ?? "", "[7]");
  expect(() => files.read([{ LABELS_FILE: good }, { LABELS_FILE: bad }])).toThrow(/bad\.json:0/);
  expect(files.labels(good, CHAIN).find(FAUCET)?.name).toBe(ROW.name);
  files.read([{ LABELS_FILE: good }]);
  expect(files.labels(good, CHAIN).find(FAUCET)?.name).toBe("Changed");
});
