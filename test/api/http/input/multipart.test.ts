import fc from "fast-check";
import Fastify from "fastify";
import { afterAll, beforeAll, expect, test } from "vitest";
import { requestErrorOf } from "../../../../src/api/http/failures.ts";
import { readBodies } from "../../../../src/api/http/input/body.ts";
import { addMultipart, readMultipart } from "../../../../src/api/http/input/multipart.ts";

const app = Fastify();
beforeAll(async () => {
  readBodies(app);
  app.setErrorHandler((error, _request, reply) =>
    reply.code(requestErrorOf(error)?.httpStatus ?? 500).send(),
  );
  app.register((scope, _options, done) => {
    addMultipart(scope);
    const config = { takesSources: () => true };
    scope.post("/", { config }, (request) =>
      Buffer.isBuffer(request.body) ? readMultipart(request, request.body) : [],
    );
    done();
  });
  await app.ready();
});
afterAll(() => app.close());

/** Fields of the body, or the status of its refusal. */
async function read(body: string | Buffer, type: string): Promise<unknown> {
  const headers = { "content-type": type };
  const response = await app.inject({ method: "POST", url: "/", headers, payload: body });
  return response.statusCode === 200 ? response.json() : response.statusCode;
}

// Node's own FormData writes what is read.

const NAMES_OF_EVERY_OBJECT = Object.getOwnPropertyNames(Object.prototype);
const fieldName = fc.string({ minLength: 1, unit: "grapheme" }).filter(isPlain);
/** Browsers' escapes in a name, `%22` and line ends, stay as they are. */
function isPlain(name: string): boolean {
  return !/["\r\n\\]/.test(name) && name.isWellFormed() && !NAMES_OF_EVERY_OBJECT.includes(name);
}

test("reads the fields and files that another program wrote", async () => {
  const part = fc.tuple(fieldName, fc.string({ unit: "grapheme" }), fc.boolean());
  await fc.assert(
    fc.asyncProperty(fc.array(part), async (parts) => {
      const form = new FormData();
      const expected = parts.map(([name, content, isFile]) => {
        if (isFile) form.append(name, new Blob([content]), "folder/source.sol");
        else form.append(name, content);
        // FormData writes line ends of fields, not of files, as CRLF.
        const text = isFile ? content : content.replaceAll(/\r\n|\r|\n/g, "\r\n");
        return [name, isFile ? { fileName: "source.sol", content: text } : text];
      });
      const response = new Response(form);
      const body = Buffer.from(await response.arrayBuffer());
      expect(await read(body, response.headers.get("content-type") ?? "")).toEqual(expected);
    }),
  );
});

const TYPE = 'multipart/form-data; charset=utf-8; boundary="a b"';
const PART = 'content-disposition: form-data; name="x"\r\n\r\n';
const END = "\r\n--a b--";

test.each([
  ["a preamble and an epilogue", `hello\r\n--a b\r\n${PART}1${END}\r\nbye`, [["x", "1"]]],
  [
    "a quoted quote",
    `--a b\r\nContent-Disposition: FORM-DATA; Name="\\"x\\\\"\r\n\r\n${END}`,
    [['"x\\', ""]],
  ],
  [
    "a name without quotes",
    `--a b\r\ncontent-disposition: form-data; name=x\r\n\r\n1${END}`,
    [["x", "1"]],
  ],
  [
    "a part without a name",
    `--a b\r\ncontent-disposition: form-data\r\n\r\n1\r\n--a b\r\n${PART}2${END}`,
    [["x", "2"]],
  ],
  [
    "a part without a disposition",
    `--a b\r\na: b\r\n\r\n1\r\n--a b\r\n${PART}2${END}`,
    [["x", "2"]],
  ],
  ["a part without headers", `--a b\r\n\r\n1\r\n--a b\r\n${PART}2${END}`, [["x", "2"]]],
  ["no parts", "--a b--", []],
  [
    "a Windows path",
    `--a b\r\ncontent-disposition: form-data; name=f; filename="C:\\\\d\\\\s.sol"\r\n\r\n1${END}`,
    [["f", { fileName: "s.sol", content: "1" }]],
  ],
  [
    "a file name in its encoding",
    `--a b\r\ncontent-disposition: form-data; name="f"; filename*=UTF-8''%C3%A9.sol\r\n\r\n1${END}`,
    [["f", { fileName: "é.sol", content: "1" }]],
  ],
  [
    "a field that calls itself JSON, as its text",
    `--a b\r\n${PART.trimEnd()}\r\ncontent-type: application/json\r\n\r\n{"a":[]}${END}`,
    [["x", '{"a":[]}']],
  ],
])("takes %s", async (_what, body, expected) => {
  expect(await read(body, TYPE)).toEqual(expected);
});

test("any arrangement of the parts of a form is read or refused", async () => {
  const parts = [
    "--a b",
    "--a b--",
    PART,
    PART.trimEnd(),
    "a: b",
    "\r\n",
    "\r",
    "\n",
    '"',
    "--",
    "x",
  ];
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...parts)), async (arrangement) => {
      const body = `--a b\r\n${PART}${arrangement.join("")}`;
      expect(await read(body, TYPE)).toSatisfy((found) => Array.isArray(found) || found === 400);
    }),
  );
});

test.each([
  ["no delimiter", "hello"],
  ["no last delimiter", `--a b\r\n${PART}1\r\n`],
  ["headers without an end", "--a b\r\ncontent-disposition: form-data"],
  ["a delimiter that goes on", `--a bc\r\n${PART}1\r\n--a bc--`],
  ["a delimiter with a blank behind it", `--a b \r\n${PART}1${END}`],
  ["another boundary", `--a\r\n${PART}1\r\n--a--`],
  ["a name of every object", `--a b\r\n${PART.replace("x", "__proto__")}1${END}`],
  ["more than 400,000 bytes of headers", `--a b\r\na:${"b".repeat(400_000)}\r\n${PART}1${END}`],
])("refuses %s", async (_what, body) => {
  expect(await read(body, TYPE)).toBe(400);
});

test.each([
  "multipart/form-data",
  "multipart/form-data; boundary=",
  `multipart/form-data; boundary=${"b".repeat(71)}`,
  'multipart/form-data; boundary="b\\"b"',
  "multipart/form-data; boundary*=utf-8''b",
])("refuses the content type %s", async (type) => {
  expect(await read(`--b\r\n${PART}1\r\n--b--`, type)).toBe(400);
});

test("refuses the text of a field that is no UTF-8, and takes a file that is no text", async () => {
  const body = (part: string) => Buffer.from(`--a b\r\n${part}\xff${END}`, "latin1");
  expect(await read(body(PART), TYPE)).toBe(400);
  const file = PART.replace('"x"', '"x"; filename="a.png"');
  expect(await read(body(file), TYPE)).toHaveLength(1);
});

test("takes 1,000 parts, fields or files, and refuses one more", async () => {
  const file = PART.replace('"x"', '"x"; filename="a"');
  for (const part of [PART, file]) {
    const body = (parts: number) => `${`--b\r\n${part}1\r\n`.repeat(parts)}--b--`;
    const type = "multipart/form-data; boundary=b";
    expect(await read(body(1000), type)).toHaveLength(1000);
    expect(await read(body(1001), type)).toBe(413);
  }
});

test("refuses more than 10,000,000 bytes, in one part or several", async () => {
  const parts = (...sizes: number[]) =>
    `${sizes.map((size) => `--a b\r\n${PART}${"x".repeat(size)}\r\n`).join("")}--a b--`;
  expect(await read(parts(10_000_000), TYPE)).toHaveLength(1);
  expect(await read(parts(10_000_001), TYPE)).toBe(413);
  expect(await read(parts(6_000_000, 4_000_001), TYPE)).toBe(413);
});

test("answers every body, however its pieces are put together", async () => {
  const piece = fc.constantFrom("--a b", "--", "\r\n", "\r", PART, "x", ": ", '"', ";", END, "\0");
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 30 }), async (pieces) => {
      const answer = await read(pieces.join(""), TYPE);
      expect(Array.isArray(answer) || answer === 400).toBe(true);
    }),
    { numRuns: 500 },
  );
});
