import { once } from "node:events";
import net from "node:net";
import type { FastifyInstance, InjectOptions } from "fastify";
import pino from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../support/app.ts";
import { setSyncState } from "../../support/build.ts";

const JSON_TYPE = "application/json; charset=utf-8";
const ACTION = "module=block&action=eth_block_number";

let server: TestApp;
const logged: string[] = [];
beforeAll(async () => {
  server = await createTestApp({ log: pino({}, { write: (line: string) => logged.push(line) }) });
});
afterAll(() => server.close());

function ask(method: string, url: string, options: InjectOptions = {}) {
  return server.app.inject({ method: method as "GET", url, ...options });
}

function refused(text: string, dialect: "blockscout" | "etherscan" = "blockscout") {
  return dialect === "blockscout"
    ? { status: "0", message: text, result: null }
    : { status: "0", message: "NOTOK", result: text };
}

/** Every route of a server, as a path that it answers, with its methods. */
function routesOf(app: FastifyInstance): [path: string, methods: string[]][] {
  const above: string[] = [];
  const tree = app.printRoutes({ commonPrefix: false, includeHooks: false });
  return [...tree.matchAll(/^([│ ]*)[├└]── (\S+) \(((?!OPTIONS)[A-Z, ]+)\)$/gm)].map(
    ([, indent = "", part = "", methods = ""]) => {
      const depth = indent.length / 4;
      above.splice(depth, above.length, depth === 1 ? `/${part}` : part);
      const path = above.slice(depth && 1).join("");
      const named = path.replace("/:module/:action", "/block/getblockreward");
      return [named.replaceAll(/:[\w|:]+/g, "1").replace("*", "/x"), methods.split(", ")];
    },
  );
}

describe("paths", () => {
  test.each(["/api", "/api/", "/api/v1", "/api/v1/", "/v2/api", "/v2/api/", "//api", "///v2/api/"])(
    "%s serves the actions",
    async (path) => {
      const response = await ask("GET", `${path}?${ACTION}`);
      expect(response.statusCode).toBe(200);
      expect(response.json()).toEqual({ jsonrpc: "2.0", result: "0x0", id: 1 });
    },
  );

  test.each([
    "/foo",
    "/api/anything",
    "/api/v2/blocks/0x00",
    "/api/legacy/block",
    "/API",
    "/foo/%zz",
    "/v2",
  ])("%s is not found, with and without parameters", async (path) => {
    for (const url of [path, `${path}?${ACTION}`]) {
      const response = await ask("GET", url);
      expect(response.statusCode).toBe(404);
      expect(response.json()).toEqual(refused("Not found"));
    }
  });

  test("GET on the JSON-RPC path asks for module and action, and has none", async () => {
    const bare = await ask("GET", "/api/eth-rpc");
    expect(bare.statusCode).toBe(400);
    expect(bare.json()).toEqual(refused("Params 'module' and 'action' are required parameters"));
    const named = await ask("GET", `/api/eth-rpc?${ACTION}`);
    expect(named.statusCode).toBe(404);
    expect(named.json()).toEqual(refused("Not found"));
  });
});

describe("methods", () => {
  test.each(["PUT", "PATCH", "DELETE", "PROPFIND", "QUERY"])("%s is refused", async (method) => {
    const response = await ask(method, `/api?${ACTION}`);
    expect(response.statusCode).toBe(405);
    expect(response.json()).toEqual(refused("Method not allowed"));
    const etherscan = await ask(method, `/v2/api?${ACTION}`);
    expect(etherscan.json()).toEqual(refused("Method not allowed", "etherscan"));
    expect((await ask(method, "/api/eth-rpc")).statusCode).toBe(405);
    expect((await ask(method, "/nothing")).statusCode).toBe(404);
  });

  test("that a route lacks are refused with those that it has", async () => {
    const routes = routesOf(server.app);
    expect(routes.length).toBeGreaterThan(70);
    for (const [path, methods] of routes) {
      const allow = [...methods, "OPTIONS"].toSorted();
      for (const method of ["GET", "HEAD", "POST", "PUT", "DELETE", "TRACE", "QUERY", "LOCK"]) {
        if (methods.includes(method)) continue;
        const response = await ask(method, path);
        const told = String(response.headers["allow"]).split(", ").toSorted();
        expect([path, method, response.statusCode, told]).toEqual([path, method, 405, allow]);
      }
    }
  });

  test.each([
    ["/%61pi", 405],
    ["//31337//v2/api/?module=account", 405],
    ["/api/BLOCK/getBlockReward", 405],
    ["/31337/tx/0x00", 405],
    [`/tx/${"0".repeat(1000)}`, 405],
    [`/tx/${"0".repeat(1001)}`, 404],
    ["/api/block/nothing", 404],
    ["/v2/api/constructor/toString", 404],
    ["/foo/%zz", 404],
  ])("of %s, as a client may spell it, are refused or not there", async (path, status) => {
    for (const method of ["PUT", "LOCK"]) {
      const { statusCode, headers } = await ask(method, path);
      expect([statusCode, headers["allow"] !== undefined]).toEqual([status, status === 405]);
    }
  });

  test("HEAD is answered like GET, without a body", async () => {
    for (const url of [
      `/api?${ACTION}`,
      "/",
      "/docs",
      "/openapi.json",
      "/nothing",
      "/api/nothing",
    ]) {
      const headers = { accept: "text/html" };
      const get = await ask("GET", url, { headers });
      const head = await ask("HEAD", url, { headers });
      const told = ({ statusCode, headers: sent }: typeof get) => [
        statusCode,
        sent["content-type"],
        sent["content-length"],
      ];
      expect([url, head.body, ...told(head)]).toEqual([url, "", ...told(get)]);
    }
  });
});

describe("headers", () => {
  test.each([
    ["an answer", "GET", `/api?${ACTION}`],
    ["a wrong request", "GET", "/api"],
    ["an unknown path", "GET", "/nothing"],
    ["a path that cannot be read", "GET", "/foo/%zz"],
    ["a refused method", "PUT", "/api"],
  ])("of %s open it to every origin and tell that no limit applies", async (_what, method, url) => {
    const { headers } = await ask(method, url, { headers: { accept: "*/*" } });
    expect(headers).toMatchObject({
      "content-type": JSON_TYPE,
      "access-control-allow-origin": "*",
      "access-control-expose-headers":
        "bypass-429-option,x-ratelimit-reset,x-ratelimit-limit,x-ratelimit-remaining,retry-after,x-periscope-block,x-periscope-error,x-periscope-rows,x-next-cursor,content-disposition,etag",
      "x-ratelimit-limit": "-1",
      "x-ratelimit-remaining": "-1",
      "x-ratelimit-reset": "-1",
      "bypass-429-option": "no_bypass",
    });
    expect(headers).not.toHaveProperty("access-control-allow-credentials");
  });

  test("a preflight request is told what it may send", async () => {
    const response = await ask("OPTIONS", "/api", {
      headers: { origin: "https://example.org", "access-control-request-method": "POST" },
    });
    expect(response.statusCode).toBe(204);
    expect(response.body).toBe("");
    expect(response.headers).toMatchObject({
      "access-control-allow-origin": "*",
      "access-control-max-age": "1728000",
      "access-control-allow-methods": "GET,POST,OPTIONS",
    });
    expect(String(response.headers["access-control-allow-headers"]).split(",")).toEqual(
      expect.arrayContaining(["Authorization", "Content-Type", "If-None-Match", "x-api-key"]),
    );
  });

  test("OPTIONS without it is 204 as well", async () => {
    const response = await ask("OPTIONS", "/v2/api");
    expect(response.statusCode).toBe(204);
    expect(response.headers).not.toHaveProperty("access-control-allow-methods");
  });
});

describe("bodies", () => {
  test("of more than 20,000,000 bytes are refused, whatever their type", async () => {
    const boundary = "b";
    const large = "x".repeat(20_000_001);
    const part = `--${boundary}\r\ncontent-disposition: form-data; name="sourceCode"\r\n\r\n`;
    const bodies: [string, string][] = [
      ["application/json", JSON.stringify({ sourceCode: large })],
      ["application/x-www-form-urlencoded", `sourceCode=${large}`],
      [`multipart/form-data; boundary=${boundary}`, `${part}${large}\r\n--${boundary}--\r\n`],
      ["text/plain", large],
    ];
    for (const [type, payload] of bodies) {
      const response = await ask("POST", `/api?${ACTION}`, {
        headers: { "content-type": type },
        payload,
      });
      expect([type, response.statusCode]).toEqual([type, 413]);
      expect(response.json()).toEqual(refused("Payload Too Large"));
    }
  });

  test("of more than 1,000 fields are refused, as a form and as JSON", async () => {
    const forms = (count: number) => `${ACTION}${"&x=1".repeat(count - 2)}`;
    const json = (count: number) => {
      const unknown = Array.from({ length: count - 2 }, (_, index) => [`x${index}`, index]);
      const names = { module: "block", action: "eth_block_number" };
      return JSON.stringify({ ...names, ...Object.fromEntries(unknown) });
    };
    const types: [string, (count: number) => string][] = [
      ["application/x-www-form-urlencoded", forms],
      ["application/json", json],
    ];
    for (const [type, fields] of types) {
      const post = (count: number) =>
        ask("POST", "/api", { headers: { "content-type": type }, payload: fields(count) });
      expect([type, (await post(1000)).statusCode]).toEqual([type, 200]);
      const response = await post(1001);
      expect([type, response.statusCode]).toEqual([type, 413]);
      expect(response.json()).toEqual(refused("Payload Too Large"));
    }
  });

  describe("of several megabytes", () => {
    beforeAll(() => setSyncState(server.sql, {}));

    const sourceCode = "x".repeat(8_000_000);
    const submission = { module: "Contract", action: "verifySourceCode" };
    const boundary = "b";
    const multipart = (fields: Record<string, string>) =>
      Object.entries(fields)
        .map(([name, value]) => {
          const disposition = `content-disposition: form-data; name="${name}"`;
          return `--${boundary}\r\n${disposition}\r\n\r\n${value}\r\n`;
        })
        .concat(`--${boundary}--`)
        .join("");
    const forms: [string, (fields: Record<string, string>) => string][] = [
      ["application/json", JSON.stringify],
      ["application/x-www-form-urlencoded", (fields) => new URLSearchParams(fields).toString()],
      [`multipart/form-data; boundary=${boundary}`, multipart],
    ];
    const post = async (query: string, type: string, payload: string) => {
      const response = await ask("POST", `/api?${query}`, {
        headers: { "content-type": type },
        payload,
      });
      return [response.statusCode, response.json().message];
    };
    const read = [200, "Missing codeformat field"];
    const tooLarge = [413, "Payload Too Large"];

    test.each(forms)("pass as %s when an action is named that takes sources", async (type, to) => {
      expect(await post("", type, to({ ...submission, sourceCode }))).toEqual(read);
      expect(await post("", type, to({ sourceCode, ...submission }))).toEqual(read);
      const { module, action } = submission;
      expect(await post(`module=${module}`, type, to({ sourceCode, action }))).toEqual(read);
      expect(await post(`module=${module}&action=${action}`, type, to({ sourceCode }))).toEqual(
        read,
      );
    });

    test.each(forms)("are refused as %s by any other", async (type, to) => {
      const other = { module: "block", action: "eth_block_number" };
      expect(await post("", type, to({ ...other, sourceCode }))).toEqual(tooLarge);
      expect(await post(ACTION, type, to({ sourceCode }))).toEqual(tooLarge);
      expect(await post("", type, to({ sourceCode }))).toEqual(tooLarge);
      expect(await post("module=contract", type, to({ sourceCode }))).toEqual(tooLarge);
      const hidden = { a: JSON.stringify(submission), sourceCode };
      expect(await post("", type, to(hidden))).toEqual(tooLarge);
    });
  });

  test.each([
    ["broken JSON", "application/json", "{"],
    ["a JSON array", "application/json", "[]"],
    ["a JSON scalar", "application/vnd.api+json", "5"],
    [
      "JSON of endless depth",
      "application/json",
      `{"module":${"[".repeat(5000)}${"]".repeat(5000)}}`,
    ],
    ["JSON that is no UTF-8", "application/json", Buffer.from([0x22, 0xff, 0x22])],
    ["a form that is no UTF-8", "application/x-www-form-urlencoded", "module=%ff"],
    ["a form with half a percent sign", "application/x-www-form-urlencoded", "module=%e"],
    ["a multipart body without a boundary", "multipart/form-data", "--b\r\n"],
    [
      "a multipart body that breaks off",
      "multipart/form-data; boundary=b",
      '--b\r\ncontent-disposition: form-data; name="module"\r\n\r\nblo',
    ],
  ])("%s are refused", async (_what, type, payload) => {
    const response = await ask("POST", `/api?${ACTION}`, {
      headers: { "content-type": type },
      payload,
    });
    expect(response.statusCode).toBe(400);
    expect(response.json()).toEqual(refused("Bad request"));
  });

  test.each(["gzip", "x-gzip", "BR", "deflate, gzip", "identity, zstd"])(
    "in the Content-Encoding %s are refused in every dialect",
    async (encoding) => {
      const text = "A compressed body is not supported, please send it without Content-Encoding";
      const sourcify = { customCode: "invalid_parameter", message: text };
      for (const [path, body] of [
        ["/api", refused(text)],
        ["/api/contract/verifysourcecode", refused(text)],
        ["/v2/api", refused(text, "etherscan")],
        ["/api/eth-rpc", refused(text)],
        ["/sourcify/v2/verify/31337/0x00", expect.objectContaining(sourcify)],
      ] as const) {
        const response = await ask("POST", path, {
          headers: { "content-type": "application/json", "content-encoding": encoding },
          payload: "{}",
        });
        expect([path, response.statusCode, response.json()]).toEqual([path, 415, body]);
        expect(response.headers["accept-encoding"]).toBe("identity");
      }
    },
  );

  test.each(["", "identity", " Identity "])(
    "in the Content-Encoding '%s' are read",
    async (encoding) => {
      const headers = { "content-type": "application/json", "content-encoding": encoding };
      const payload = { module: "block", action: "eth_block_number", id: 5 };
      expect((await ask("POST", "/api", { headers, payload })).json()).toMatchObject({ id: 5 });
    },
  );

  test("that nobody sent may have any Content-Encoding", async () => {
    const headers = { "content-encoding": "gzip" };
    for (const method of ["GET", "POST"]) {
      expect((await ask(method, `/api?${ACTION}`, { headers })).statusCode).toBe(200);
    }
  });

  test.each([
    ["POST", "/api/v2/blocks/0x00", 404],
    ["PUT", "/api", 405],
    ["PUT", "/api/block/eth_block_number", 405],
    ["DELETE", "/sourcify/v2/contracts/31337", 405],
  ])("do not matter where %s %s is refused", async (method, path, status) => {
    const headers = { "content-type": "application/json" };
    const bodies: InjectOptions[] = [
      { headers, payload: "x".repeat(2_000_000) },
      { headers: { ...headers, "content-encoding": "gzip" }, payload: "x" },
    ];
    for (const body of bodies) expect((await ask(method, path, body)).statusCode).toBe(status);
  });

  test("a query that is no UTF-8 is refused in its dialect", async () => {
    const response = await ask("GET", `/v2/api?${ACTION}&address=%c3%28`);
    expect(response.statusCode).toBe(400);
    expect(response.json()).toEqual(refused("Bad request", "etherscan"));
  });

  test.each([undefined, "text/plain", "garbage", ";;", "application/octet-stream"])(
    "of the content type %s are ignored, and the query counts",
    async (type) => {
      const response = await ask("POST", `/api?${ACTION}`, {
        ...(type !== undefined && { headers: { "content-type": type } }),
        payload: "id=7",
      });
      expect(response.statusCode).toBe(200);
      expect(response.json().id).toBe(1);
    },
  );
});

describe("the log", () => {
  test("has one line for each request, with its id, and never a key", async () => {
    logged.length = 0;
    await ask("GET", `/api?${ACTION}&apikey=s3cret&ApiKey=s3cret&api%6bey=s3cret`, {
      headers: { "x-api-key": "s3cret" },
    });
    expect(logged).toHaveLength(1);
    expect(logged[0]).not.toContain("s3cret");
    expect(JSON.parse(logged[0] ?? "")).toMatchObject({
      msg: "request",
      requestId: expect.any(String),
      method: "GET",
      url: `/api?${ACTION}&[redacted]&[redacted]&[redacted]`,
      action: "block/eth_block_number",
      status: 200,
      ms: expect.any(Number),
    });
  });
});

test("a proxy that nobody named is warned of, once", async () => {
  logged.length = 0;
  for (const client of ["10.0.0.1", "10.0.0.2"]) {
    await ask("GET", `/api?${ACTION}`, { headers: { "x-forwarded-for": client } });
  }
  const warnings = logged.filter((line) => line.includes("TRUSTED_PROXIES"));
  expect(warnings).toHaveLength(1);
  expect(JSON.parse(warnings[0] ?? "")).toMatchObject({ level: 40, peer: "127.0.0.1" });
});

describe("connections", () => {
  let url: URL;
  beforeAll(async () => {
    url = new URL(await server.app.listen({ port: 0, host: "127.0.0.1" }));
  });

  async function exchange(bytes: string): Promise<{ head: string; body: string }> {
    const [head = "", body = ""] = (await received(bytes)).split("\r\n\r\n");
    return { head, body };
  }

  /** Returns the server's output for these bytes until it closes the connection. */
  function received(bytes: string): Promise<string> {
    return new Promise((resolve) => {
      let text = "";
      const socket = net.connect(Number(url.port), url.hostname, () => socket.write(bytes));
      socket.on("data", (data) => {
        text += data;
      });
      socket.on("close", () => resolve(text));
    });
  }

  test.each(["content-encoding: gzip\r\ncontent-length: 100", "transfer-encoding: gzip, chunked"])(
    "with a compressed body are answered before it arrives: %s",
    async (headers) => {
      const type = "content-type: application/json";
      const { head } = await exchange(
        `POST /api HTTP/1.1\r\nhost: a\r\n${type}\r\n${headers}\r\nconnection: close\r\n\r\n`,
      );
      expect(head).toMatch(/^HTTP\/1\.1 415 /);
    },
  );

  test("are asked for a body that they announce, unless it is refused", async () => {
    const post = (more: string) =>
      received(
        `POST /api?${ACTION} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\nexpect: 100-continue\r\n${more}`,
      );
    const read = await post("content-length: 2\r\nconnection: close\r\n\r\n{}");
    expect(read.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 100", "HTTP/1.1 200"]);
    const refusals = [
      ["content-length: 2\r\ncontent-encoding: gzip\r\n\r\n", 415],
      ["content-length: 30000000\r\n\r\n", 413],
    ] as const;
    for (const [more, status] of refusals) {
      expect((await post(more)).match(/HTTP\/1\.1 \d+/g)).toEqual([`HTTP/1.1 ${status}`]);
    }
  });

  describe("whose body is refused before its end are answered, whatever the client still sends", () => {
    const bytes = new Uint8Array(30_000_000).fill(120);
    const chunked = () =>
      new ReadableStream({
        start(controller) {
          for (let at = 0; at < bytes.length; at += 500_000) {
            controller.enqueue(bytes.subarray(at, at + 500_000));
          }
          controller.close();
        },
      });
    const types: [string, string, Record<string, string>, number][] = [
      ["too large for any", "/api", { "content-type": "application/json" }, 413],
      ["too large for this action", `/v2/api?${ACTION}`, { "content-type": "text/plain" }, 413],
      ["compressed", "/api", { "content-encoding": "gzip" }, 415],
      ["for an unknown path", "/nothing", {}, 404],
      ["for a page", "/docs", {}, 405],
    ];
    test.each(types)("%s", async (_name, path, headers, status) => {
      const { port } = url;
      for (const size of [3_000_000, bytes.length, bytes.length, bytes.length]) {
        const body = bytes.subarray(0, size);
        const options = { method: "POST", headers, signal: AbortSignal.timeout(30_000) };
        const plain = await fetch(`http://127.0.0.1:${port}${path}`, { ...options, body });
        expect(plain.status).toBe(status);
        expect((await plain.text()).length).toBeGreaterThan(10);
        const streamed = await fetch(`http://127.0.0.1:${port}${path}`, {
          ...options,
          body: chunked(),
          duplex: "half",
        } as RequestInit);
        expect(streamed.status).toBe(status);
      }
    });

    test("a client that reads when it has sent all sees the answer too", async () => {
      const socket = net.connect(Number(url.port), url.hostname).pause();
      socket.on("error", () => {});
      await once(socket, "connect");
      const head = "POST /api HTTP/1.1\r\nhost: a\r\ncontent-length: 30000000\r\n\r\n";
      socket.write(head);
      await new Promise((resolve) => socket.write(bytes, resolve));
      let text = "";
      socket.setEncoding("utf8").on("data", (data) => {
        text += data;
      });
      await once(socket.resume(), "close");
      expect(text).toMatch(/^HTTP\/1\.1 413 /);
    });

    test("a client that sends without end is cut off", async () => {
      const socket = net.connect(Number(url.port), url.hostname);
      socket.on("error", () => {}).resume();
      const closed = once(socket, "close");
      socket.write("POST /api HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n");
      const chunk = `100000\r\n${"x".repeat(0x100000)}\r\n`;
      const send = (): void => {
        while (socket.writable && socket.write(chunk));
      };
      socket.on("drain", send);
      send();
      await closed;
    });
  });

  test.each([
    [`/31337/api?${ACTION}`, 200, '"result"'],
    [`/v2/api?module=x&action=y`, 400, '"message":"NOTOK"'],
    [`/31337/v2/api?chainid=31337&${ACTION}`, 200, '"result"'],
    ["", 200, "<!doctype html>"],
    ["?x=1", 200, "<!doctype html>"],
    ["/31337", 302, ""],
  ])(
    "that name this server in their target are answered as without: %s",
    async (url, status, text) => {
      for (const host of ["http://explorer.example", "HTTPS://user:secret@[::1]:4000"]) {
        const { head, body } = await exchange(
          `GET ${host}${url} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`,
        );
        expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
        if (status === 302) expect(head).toContain("\r\nlocation: 31337/\r\n");
        expect(body).toContain(text);
      }
      expect(logged.join()).not.toContain("secret");
    },
  );

  test("that speak no HTTP get an envelope and are closed", async () => {
    const { head, body } = await exchange("nonsense\r\n\r\n");
    expect(head).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(head).toContain("\r\naccess-control-allow-origin: *\r\n");
    expect(JSON.parse(body)).toEqual(refused("Bad request"));
  });

  test("what follows requests and is none ends the connection once these are answered", async () => {
    const request = (id: number, more = "") =>
      `GET /api?${ACTION}&id=${id} HTTP/1.1\r\nhost: x\r\n${more}\r\n`;
    for (const last of [request(2), request(2, "connection: close\r\n")]) {
      const text = await received(`${request(1)}${last}nonsense\r\n\r\n`);
      expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 200"]);
      expect(text.match(/"id":"\d"/g)).toEqual(['"id":"1"', '"id":"2"']);
    }
    const body = "host: x\r\ntransfer-encoding: chunked\r\n\r\nnonsense\r\n";
    const { head } = await exchange(`POST /api?${ACTION} HTTP/1.1\r\n${body}`);
    expect(head).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  });

  test("that ask for a tunnel are refused, behind those to earlier requests", async () => {
    const tunnel = "CONNECT example.org:443 HTTP/1.1\r\nhost: example.org:443\r\n\r\n";
    const { head, body } = await exchange(`${tunnel}what goes into the tunnel`);
    expect(head).toMatch(/^HTTP\/1\.1 405 Method Not Allowed\r\n/);
    expect(head).toMatch(/\r\nallow: \r\n/);
    expect(head).toMatch(/\r\nconnection: close$/);
    expect(JSON.parse(body)).toEqual(refused("Method not allowed"));
    const text = await received(`GET /api?${ACTION} HTTP/1.1\r\nhost: x\r\n\r\n${tunnel}`);
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200"]);
    expect(text).toContain('"result":');
    const socket = net.connect(Number(url.port), url.hostname);
    socket.write(tunnel, () => socket.resetAndDestroy());
    await once(socket, "close");
    expect((await ask("GET", `/api?${ACTION}`)).statusCode).toBe(200);
  });

  test("with very many requests are read as these are answered, in their order", async () => {
    let unanswered = 0;
    let most = 0;
    server.app.server.on("request", (_request, response) => {
      most = Math.max(most, ++unanswered);
      response.once("close", () => unanswered--);
    });
    const ids = Array.from({ length: 1200 }, (_, index) => String(index));
    const last = `GET /api?${ACTION}&id=last HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`;
    // Long ones, of which few fit into the buffers of a connection.
    const padding = `x: ${"x".repeat(400)}\r\n`;
    const others = ids.map(
      (id) => `GET /api?${ACTION}&id=${id} HTTP/1.1\r\nhost: x\r\n${padding}\r\n`,
    );
    const socket = net.connect(Number(url.port), url.hostname);
    socket.write(others.join("") + last);
    let text = "";
    for await (const data of socket) text += data;
    expect([...text.matchAll(/"id":"(\d+)"/g)].map(([, id]) => id)).toEqual(ids);
    expect(most).toBeLessThan(500);
  }, 60_000);

  test("a URL of 64 KiB is read, and one of more than twice that gets 414 in Etherscan's form", async () => {
    const request = (length: number) =>
      exchange(
        `GET /v2/api?${ACTION}&data=0x${"0".repeat(length)} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`,
      );
    expect((await request(64 * 1024)).head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    const { head, body } = await request(140 * 1024);
    expect(head).toMatch(/^HTTP\/1\.1 414 URI Too Long\r\n/);
    expect(JSON.parse(body)).toEqual({
      status: "0",
      message: "NOTOK",
      result: "Request-URI Too Long",
    });
  });

  test.each(["x: no host", "host: x\r\nexpect: something"])(
    "that Node's server would answer without a body get an answer all the same: %j",
    async (header) => {
      const { head, body } = await exchange(
        `GET /api?${ACTION} HTTP/1.1\r\n${header}\r\nconnection: close\r\n\r\n`,
      );
      expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
      expect(JSON.parse(body)).toEqual({ jsonrpc: "2.0", result: "0x0", id: 1 });
    },
  );
});
