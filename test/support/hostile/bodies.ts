import { paramsIn } from "../../../src/api/explorer/action.ts";
import { actionsIn } from "../../../src/api/explorer/registry.ts";

/** A request that wants to cost more than it may. */
export interface HostileRequest {
  what: string;
  /** Its limit of event-loop time. */
  kind: "refused or read" | "verification";
  method: "GET" | "POST";
  path: string;
  headers: Record<string, string>;
  /** In the pieces in which it is sent: several are sent as chunks. */
  body: Buffer[];
}

const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";
const LARGE = 19_900_000;
const SMALL = 990_000;
const SUBMISSION = "module=contract&action=verifysourcecode";
const UNKNOWN_COMPILER = "v0.8.99+commit.00000000";

function fill(unit: string, bytes: number): string {
  return unit.repeat(Math.floor(bytes / unit.length));
}

function many(bytes: number, unit: (index: number) => string): string {
  const parts: string[] = [];
  for (let size = 0, index = 0; size < bytes; index++) {
    const part = unit(index);
    size += part.length;
    parts.push(part);
  }
  return parts.join("");
}

function post(
  what: string,
  type: string,
  body: string | Buffer | Buffer[],
  { path = "/api", kind = "refused or read" as HostileRequest["kind"] } = {},
): HostileRequest {
  const pieces = Array.isArray(body) ? body : [Buffer.from(body as string)];
  return { what, kind, method: "POST", path, headers: { "content-type": type }, body: pieces };
}

/** Metadata that names files by other hashes than theirs: each file is compared with each hash. */
function wrongSources(files: number): string {
  const names = Array.from({ length: files }, (_, index) => `${index}.sol`);
  const hash = (index: number) => `0x${index.toString(16).padStart(64, "0")}`;
  return JSON.stringify({
    metadata: {
      compiler: { version: "0.8.37+commit.f401782d" },
      language: "Solidity",
      settings: { compilationTarget: { "0.sol": "A" } },
      sources: Object.fromEntries(names.map((name, index) => [name, { keccak256: hash(index) }])),
    },
    sources: Object.fromEntries(names.map((name) => [name, "// a\r\n"])),
  });
}

/** Headers that something reads, each with what makes patterns go back and forth, in as many bytes as Node takes. */
export function hostileHeaders(): HostileRequest[] {
  const names =
    "accept accept-encoding access-control-request-method authorization content-encoding content-type expect " +
    "if-none-match last-event-id origin x-api-key x-forwarded-for";
  const fillers = [" ", ",", ";", "; ", '"', 'W/"a",', "a;q=0,", "0", "1.1.1.1:1,"];
  const starts = ["identity,", "multipart/form-data; boundary=a", "gzip;q=0."];
  return names.split(" ").flatMap((name) =>
    fillers.flatMap((filler) =>
      starts.map((start): HostileRequest => {
        const headers = { "content-type": JSON_TYPE, [name]: `${start}${fill(filler, 120_000)}x` };
        const what = `${name}: ${start} and many ${JSON.stringify(filler)}`;
        return { ...post(what, JSON_TYPE, "{}"), headers };
      }),
    ),
  );
}

/** Bodies that are refused, or that ask for something to be read. */
export function refusedBodies(): HostileRequest[] {
  const action = `"module":"block","action":"eth_block_number"`;
  const crumbs = Array.from({ length: 300_000 }, () => Buffer.from("a"));
  const boundary = "a".repeat(70);
  const multipart = `multipart/form-data; boundary=${boundary}`;
  const short = "multipart/form-data; boundary=b";
  const part = `--${boundary}\r\ncontent-disposition: form-data; name="a"\r\n\r\n`;
  const submission = { path: `/api?${SUBMISSION}` };
  return [
    post("JSON: 20 MB of empty arrays", JSON_TYPE, `[${fill("[],", LARGE)}[]]`),
    post(
      "JSON: empty arrays for a submission",
      JSON_TYPE,
      `{"a":[${fill("[],", LARGE)}[]]}`,
      submission,
    ),
    post("JSON: a million keys", JSON_TYPE, `{${many(LARGE, (index) => `"k${index}":1,`)}"k":1}`),
    post(
      "JSON: a million keys for a submission",
      JSON_TYPE,
      `{${many(LARGE, (index) => `"k${index}":1,`)}"k":1}`,
      submission,
    ),
    post("JSON: nested brackets", JSON_TYPE, fill("[", LARGE), submission),
    post("JSON: nested objects", JSON_TYPE, fill('{"a":', LARGE), submission),
    post("JSON: one text of 20 MB", JSON_TYPE, `{"a":"${fill("a", LARGE)}"}`),
    post(
      "JSON: one text, the action behind it",
      JSON_TYPE,
      `{"a":"${fill("a", LARGE)}",${action}}`,
    ),
    post("JSON: escapes", JSON_TYPE, `{"a":"${fill("\\u0001", LARGE)}",${action}}`),
    post("JSON: texts without commas", JSON_TYPE, `{${fill('""', LARGE)}}`, submission),
    post("JSON: blanks", JSON_TYPE, fill(" ", LARGE), submission),
    post("JSON: a number of 20 MB", JSON_TYPE, fill("1", LARGE), submission),
    post(
      "JSON: no UTF-8 at its end",
      JSON_TYPE,
      [Buffer.concat([Buffer.from(`"${fill("é", LARGE)}`), Buffer.from([0xff])])],
      submission,
    ),
    post(
      "JSON: 14 MB, unknown action",
      JSON_TYPE,
      `{"module":"contract","action":"x","sourceCode":"${fill("x", 14e6)}"}`,
    ),
    post(
      "JSON: 20 MB of text for a submission",
      JSON_TYPE,
      `{"sourceCode":"${fill("x", LARGE)}"}`,
      submission,
    ),
    post("JSON: 1 MB of empty arrays", JSON_TYPE, `[${fill("[],", SMALL)}[]]`),
    post(
      "JSON: 1 MB, as many parts as pass",
      JSON_TYPE,
      `{${action},"a":[${"[],".repeat(16_000)}"${fill("a", 900_000)}"]}`,
    ),
    post(
      "JSON: 1 MB, as many keys as pass",
      JSON_TYPE,
      `{${action}${many(15_000, (index) => `,"k${index}":1`)}}`,
    ),
    post(
      "JSON: a number of 1 MB",
      JSON_TYPE,
      `{"module":"block","action":"getblockreward","blockno":${fill("1", SMALL)}}`,
    ),
    post("form: 20 MB of &", FORM_TYPE, fill("&", LARGE), submission),
    post("form: 20 MB of fields", FORM_TYPE, fill("a=1&", LARGE), submission),
    post("form: 20 MB of percent signs", FORM_TYPE, `a=${fill("%41", LARGE)}`),
    post("form: 20 MB of plus signs", FORM_TYPE, fill("+", LARGE)),
    post("form: 1 MB of fields", FORM_TYPE, fill("a&", SMALL)),
    post("form: 1 MB of percent signs", FORM_TYPE, `module=block&action=${fill("%41", SMALL)}`),
    post(
      "form: as many fields as pass",
      FORM_TYPE,
      `${SUBMISSION}${many(8000, (index) => `&${String(index).padStart(7, "x")}`)}`,
    ),
    post(
      "multipart: 20 MB of almost delimiters",
      multipart,
      `${part}${fill(`\r\n--${"a".repeat(69)}b`, LARGE)}`,
    ),
    post("multipart: 20 MB of line ends", multipart, `${part}${fill("\r\n-", LARGE)}`),
    post(
      "multipart: 20 MB of the boundary's letter",
      multipart,
      `${part}${fill("a", LARGE)}\r\n--${boundary}--`,
    ),
    post("multipart: 20 MB of parts", multipart, fill(`${part}\r\n`, LARGE)),
    post("multipart: 20 MB of headers", multipart, `--${boundary}\r\n${fill("a: b\r\n", LARGE)}`),
    post(
      "multipart: quotes without end",
      multipart,
      fill(`--${boundary}\r\ncontent-disposition: form-data${fill(';a="', 4000)}\r\n\r\n\r\n`, 4e6),
    ),
    post("multipart: preamble of 20 MB", multipart, fill("\r\n--aaaa", LARGE)),
    post("multipart: epilogue of delimiters", short, `--b--${fill("\r\n--b", LARGE)}`),
    post(
      "multipart: 1,000 parts, fields",
      short,
      `${'--b\r\ncontent-disposition: form-data; name="a"\r\n\r\n\r\n'.repeat(1000)}--b--`,
    ),
    post(
      "multipart: 1,000 parts, files of one name",
      short,
      `${'--b\r\ncontent-disposition: form-data; name="a"; filename="a"\r\n\r\n\r\n'.repeat(1000)}--b--`,
    ),
    post(
      "multipart: parameters, percent-encoded",
      short,
      `--b\r\ncontent-disposition: form-data; name="a"; b*=utf-8''${fill("%41", SMALL)}\r\n\r\n\r\n--b--`,
    ),
    post(
      "multipart: as much percent-encoding as passes",
      short,
      `--b\r\ncontent-disposition: form-data; name="a"; b*=utf-8''${fill("%41", 399_000)}\r\n\r\n\r\n--b--`,
    ),
    post(
      "multipart: 9.9 MB that call themselves JSON",
      short,
      `--b\r\ncontent-disposition: form-data; name="a"\r\ncontent-type: application/json\r\n\r\n[${fill("[],", 9.9e6)}[]]\r\n--b--`,
      submission,
    ),
    post("no type: 20 MB", "text/plain", fill("a", LARGE), submission),
    post("a body in crumbs", JSON_TYPE, crumbs),
    post("a body in crumbs for a submission", FORM_TYPE, crumbs, submission),
    post("eth-rpc: 20 MB of empty objects", JSON_TYPE, `[${fill("{},", LARGE)}{}]`, {
      path: "/api/eth-rpc",
    }),
    post("eth-rpc: 1 MB of empty objects", JSON_TYPE, `[${fill("{},", SMALL)}{}]`, {
      path: "/api/eth-rpc",
    }),
    post("eth-rpc: as many objects as pass", JSON_TYPE, `[${"{},".repeat(16_000)}{}]`, {
      path: "/api/eth-rpc",
    }),
    post("eth-rpc: nested brackets", JSON_TYPE, fill("[", SMALL), { path: "/api/eth-rpc" }),
    post("eth-rpc: percent signs", FORM_TYPE, fill("%5B", SMALL), { path: "/api/eth-rpc" }),
    post("unknown path: 20 MB", JSON_TYPE, fill("[", LARGE), { path: "/nowhere" }),
    {
      what: "GET with a body in crumbs",
      kind: "refused or read",
      method: "GET",
      path: "/api?module=block&action=eth_block_number",
      headers: {},
      body: crumbs,
    },
    ...queries(),
    ...rpcParameters(),
  ];
}

const URL_BYTES = 14_000;

function queries(): HostileRequest[] {
  const action = "module=block&action=getblockreward";
  const get = (what: string, path: string): HostileRequest => ({
    what,
    kind: "refused or read",
    method: "GET",
    path,
    headers: {},
    body: [],
  });
  return [
    get("query: very many fields", `/api?${action}&${fill("a&", URL_BYTES)}`),
    get("query: very many &", `/api?${action}&${fill("&", URL_BYTES)}`),
    get("query: percent signs", `/api?${action}&a=${fill("%41", URL_BYTES)}`),
    get("query: keys", `/api?${action}&${fill("%61pikey=a&", URL_BYTES)}`),
    get("query: slashes", `/${fill("/", URL_BYTES)}api`),
  ];
}

function rpcParameters(): HostileRequest[] {
  const digits = fill("1", 400_000);
  const zeros = `0x${fill("0", 400_000)}`;
  const calls: [string, unknown[]][] = [
    ["eth_getBalance", [zeros, digits]],
    ["eth_getBalance", [`0x${fill("1", 40)}`, digits]],
    ["eth_getBalance", [`0x${fill("1", 40)}`, `0x${fill("f", 800_000)}`]],
    ["eth_getLogs", [{ fromBlock: digits, toBlock: zeros }]],
    [
      "eth_getLogs",
      [{ fromBlock: zeros, toBlock: zeros, topics: Array(4).fill(Array(3000).fill("0x")) }],
    ],
    ["eth_getLogs", [{ address: Array(12_000).fill(`0x${fill("1", 40)}`) }]],
    ["eth_getTransactionByHash", [zeros]],
    ["eth_getStorageAt", [`0x${fill("1", 40)}`, zeros, zeros]],
    ["eth_sendRawTransaction", [zeros]],
    ["eth_getBlockByNumber", [`0x${fill("f", 800_000)}`, false]],
  ];
  return calls.map(([method, params]) =>
    post(
      `eth-rpc: ${method}, large parameters`,
      JSON_TYPE,
      JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }).slice(0, SMALL),
      { path: "/api/eth-rpc" },
    ),
  );
}

const TEXTS: [string, string][] = [
  ["digits", fill("1", SMALL)],
  ["hex digits", `0x${fill("a", SMALL)}`],
  ["addresses", fill(`0x${fill("1", 40)},`, SMALL)],
];

/** Every parameter of every action with megabytes of what it may be. */
export function hostileParameters(): HostileRequest[] {
  return actionsIn("etherscan").flatMap(({ module, action }) =>
    Object.keys(paramsIn(action, "etherscan").shape).flatMap((name) =>
      TEXTS.map(([what, text]) =>
        post(
          `${module}/${action.name}, ${name}: 1 MB of ${what}`,
          FORM_TYPE,
          new URLSearchParams({
            ...action.example,
            module,
            action: action.name,
            [name]: text,
          }).toString(),
          { path: "/v2/api" },
        ),
      ),
    ),
  );
}

/** Submissions for a contract that has code. */
export function hostileSubmissions(address: string): HostileRequest[] {
  const common = {
    module: "contract",
    action: "verifysourcecode",
    contractaddress: address,
    contractname: "A",
    compilerversion: UNKNOWN_COMPILER,
    optimizationUsed: "0",
  };
  const source = "// é\u{1f600}\n".concat(fill('contract A {} // "x\\\n', 4.5e6));
  const flattened = { ...common, codeformat: "solidity-single-file" };
  const standard = { ...common, codeformat: "solidity-standard-json-input" };
  const large = { ...flattened, sourceCode: fill("contract A {}\n", 14e6) };
  const tiny = `{"language":"Solidity","sources":{${many(4.5e6, (index) => `"${index}":{"content":""},`)}"a":{"content":""}}}`;
  const known = { ...standard, compilerversion: "v0.8.37+commit.f401782d" };
  const verification = { kind: "verification" as const };
  const boundary = "b";
  const multipart = (fields: Record<string, string>, files: [string, string][] = []) =>
    [
      ...Object.entries(fields).map(([name, value]) => `name="${name}"\r\n\r\n${value}`),
      ...files.map(([name, value]) => `name="files[]"; filename="${name}"\r\n\r\n${value}`),
    ]
      .map((part) => `--${boundary}\r\ncontent-disposition: form-data; ${part}\r\n`)
      .concat(`--${boundary}--`)
      .join("");
  const type = `multipart/form-data; boundary=${boundary}`;
  const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString();
  const metadata = `{"compiler":{"version":"0.8.37+commit.f401782d"},"language":"Solidity","settings":{"compilationTarget":{"a":"A"}},"sources":{"a":{"keccak256":"0x00"}}}`;
  return [
    post("14 MB, unknown compiler, JSON", JSON_TYPE, JSON.stringify(large), verification),
    post("14 MB, unknown compiler, form", FORM_TYPE, form(large), verification),
    post("14 MB, unknown compiler, multipart", type, multipart(large), verification),
    post(
      "4.5 MB, unknown compiler, JSON",
      JSON_TYPE,
      JSON.stringify({ ...flattened, sourceCode: source }),
      verification,
    ),
    post(
      "4.5 MB, unknown compiler, form of 14 MB",
      FORM_TYPE,
      form({ ...flattened, sourceCode: source }),
      verification,
    ),
    post(
      "4.5 MB, unknown compiler, multipart",
      type,
      multipart({ ...flattened, sourceCode: source }),
      verification,
    ),
    post(
      "9 MB of control characters",
      FORM_TYPE,
      form({ ...flattened, sourceCode: fill("\u0001", 6e6) }),
      verification,
    ),
    post(
      "standard JSON of very many tiny sources",
      FORM_TYPE,
      form({ ...known, sourceCode: tiny }),
      verification,
    ),
    post(
      "the same, unknown compiler",
      JSON_TYPE,
      JSON.stringify({ ...standard, sourceCode: tiny }),
      verification,
    ),
    post(
      "the same as an object",
      JSON_TYPE,
      `${JSON.stringify(known).slice(0, -1)},"sourceCode":${tiny}}`,
      verification,
    ),
    post(
      "standard JSON of 900 sources as an object",
      JSON_TYPE,
      JSON.stringify({
        ...standard,
        sourceCode: {
          language: "Solidity",
          sources: Object.fromEntries(
            Array.from({ length: 900 }, (_, index) => [
              `${index}.sol`,
              { content: fill("// x\n", 4000) },
            ]),
          ),
        },
      }),
      verification,
    ),
    post(
      "standard JSON, nested",
      JSON_TYPE,
      JSON.stringify({ ...known, sourceCode: fill("[", 9e6) }),
      verification,
    ),
    post(
      "metadata with sources of 1.5 MB",
      type,
      multipart({ module: "contract", action: "verify_via_sourcify", addressHash: address }, [
        ["metadata.json", metadata],
        ["a.sol", source.slice(0, 1.5e6)],
      ]),
      verification,
    ),
    post(
      "metadata with 300 files",
      type,
      multipart({ module: "contract", action: "verify_via_sourcify", addressHash: address }, [
        ["metadata.json", metadata],
        ...Array.from({ length: 300 }, (_, index): [string, string] => [
          `${index}.sol`,
          fill("// x\n", 4000),
        ]),
      ]),
      verification,
    ),
    ...["metadata", "stdJsonInput"].map((name) =>
      post(
        `Sourcify: ${name} of as many keys as pass`,
        JSON_TYPE,
        JSON.stringify({
          compilerVersion: "0.8.37+commit.f401782d",
          contractIdentifier: "a:A",
          sources: {},
          [name]: {
            ...JSON.parse(metadata),
            sources: { a: { content: "" } },
            ...Object.fromEntries(Array.from({ length: 83_000 }, (_, index) => [`k${index}`, 0])),
          },
        }),
        {
          ...verification,
          path: `/sourcify/v2/verify${name === "metadata" ? "/metadata" : ""}/31337/${address}`,
        },
      ),
    ),
    post("Sourcify: metadata of as many wrong sources as pass", JSON_TYPE, wrongSources(20_000), {
      ...verification,
      path: `/sourcify/v2/verify/metadata/31337/${address}`,
    }),
    post(
      "many fields of a submission's length",
      FORM_TYPE,
      `${form(flattened)}&sourceCode=a${many(7000, (index) => `&${String(index).padStart(10, "c")}`)}`,
      verification,
    ),
  ];
}
