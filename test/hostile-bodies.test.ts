import { afterAll, beforeAll, expect, test } from "vitest";
import { hostileHeaders, hostileSubmissions, refusedBodies } from "./support/hostile/bodies.ts";
import { forgetPeak, memoryOf } from "./support/hostile/process-costs.ts";
import { type HostileServer, MOST_MS, startHostileServer } from "./support/hostile/server.ts";

// A part of test/hostile, which takes minutes. It needs Linux, which reports the processor time of a thread.

/** One of each kind. */
const WHAT =
  /^JSON: (?:20 MB|one text of|escapes|blanks|a million keys for)|^form: 20 MB of percent|^multipart: (?:1,000|as much)|crumbs$|^eth-rpc: (?:as many|eth_getBalance)|^query: very|^4\.5 MB.*JSON|^9 MB|object$/;
const MOST_MEGABYTES = 700;

let server: HostileServer;
beforeAll(async () => {
  server = await startHostileServer();
});
afterAll(() => server?.stop());

test("no request and no body costs the event loop more than its bound, nor all the memory", async () => {
  forgetPeak(server.pid);
  const corpus = [...refusedBodies(), ...hostileSubmissions(server.address)];
  const requests = corpus.filter(({ what }) => WHAT.test(what));
  expect(requests.length).toBeGreaterThan(12);
  const tooMuch: string[] = [];
  for (const request of requests) {
    const { ms } = await server.costOf(request);
    if (ms > MOST_MS[request.kind]) tooMuch.push(`${request.what}: ${ms.toFixed(0)} ms`);
  }
  expect(tooMuch).toEqual([]);
  await Promise.all(requests.slice(-12).map((request) => server.send(request)));
  await server.requireAnswer();
  expect(memoryOf(server.pid).peak).toBeLessThan(MOST_MEGABYTES);
});

test("no header costs the event loop more than its bound", async () => {
  const tooMuch: string[] = [];
  for (const request of hostileHeaders()) {
    const { ms } = await server.costOf(request);
    if (ms > MOST_MS[request.kind]) tooMuch.push(`${request.what}: ${ms.toFixed(0)} ms`);
  }
  expect(tooMuch).toEqual([]);
});
