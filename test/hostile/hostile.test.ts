import { writeFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hostileParameters, hostileSubmissions, refusedBodies } from "../support/hostile/bodies.ts";
import { forgetPeak, memoryOf } from "../support/hostile/process-costs.ts";
import { type HostileServer, MOST_MS, startHostileServer } from "../support/hostile/server.ts";

const MOST_MEGABYTES = 700;
const MOST_MEGABYTES_LATER = 450;

let server: HostileServer;
beforeAll(async () => {
  server = await startHostileServer();
});
afterAll(() => server?.stop());

test("no request and no body costs the event loop more than its bound", async () => {
  const table: string[] = [];
  const tooMuch: string[] = [];
  for (const request of [...refusedBodies(), ...hostileSubmissions(server.address)]) {
    const { status, ms } = await server.costOf(request);
    const row = `| ${request.what} | ${status} | ${ms.toFixed(0)} |`;
    table.push(row);
    if (ms > MOST_MS[request.kind]) tooMuch.push(row);
  }
  const file = process.env["HOSTILE_TABLE"];
  if (file) await writeFile(file, `${table.join("\n")}\n`);
  expect(tooMuch).toEqual([]);
});

test("no parameter of any action costs more, whatever is sent in its place", async () => {
  const tooMuch: string[] = [];
  for (const request of hostileParameters()) {
    const { ms } = await server.costOf(request);
    if (ms > MOST_MS[request.kind]) tooMuch.push(`${request.what}: ${ms.toFixed(0)} ms`);
  }
  expect(tooMuch).toEqual([]);
});

test("ten of each at a time fit into the memory and the heap that is recommended", async () => {
  forgetPeak(server.pid);
  for (const request of [...refusedBodies(), ...hostileSubmissions(server.address)]) {
    const sending = Array.from({ length: 10 }, () => server.send(request));
    const faults = (await Promise.all(sending)).filter((status) => status >= 500 && status !== 503);
    expect([request.what, faults]).toEqual([request.what, []]);
    await server.finishVerifications();
  }
  await server.requireAnswer();
  const { peak, now } = memoryOf(server.pid);
  process.stdout.write(`memory: ${peak.toFixed(0)} MB at most, ${now.toFixed(0)} MB afterwards\n`);
  expect(peak).toBeLessThan(MOST_MEGABYTES);
  expect(now).toBeLessThan(MOST_MEGABYTES_LATER);
});
