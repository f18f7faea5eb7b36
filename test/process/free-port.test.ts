import { once } from "node:events";
import net from "node:net";
import { expect, test } from "vitest";
import { freePort } from "../../src/process/free-port.ts";

test("the preferred port is given when nothing listens there, and another one otherwise", async () => {
  const preferred = await freePort();
  expect(await freePort(preferred)).toBe(preferred);
  const server = net.createServer().listen(preferred, "127.0.0.1");
  await once(server, "listening");
  const other = await freePort(preferred);
  server.close();
  expect(other).toBeGreaterThan(0);
  expect(other).not.toBe(preferred);
});
