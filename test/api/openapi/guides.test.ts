import { afterAll, beforeAll, expect, test } from "vitest";
import { actionsIn, registry } from "../../../src/api/explorer/registry.ts";
import type { ApiDocument } from "../../../src/api/openapi/document.ts";
import { createTestApp, type TestApp } from "../../support/app.ts";
import { publish } from "../../support/build.ts";

let server: TestApp;
beforeAll(async () => {
  server = await createTestApp({ publicUrl: "https://chain.example" });
  await publish(server.sql, { blocks: [{ number: 0 }] });
});
afterAll(() => server.close());

async function document(path: string): Promise<ApiDocument> {
  const { body, statusCode } = await server.app.inject(path);
  expect([path, statusCode]).toEqual([path, 200]);
  return JSON.parse(body);
}

test("the documents of the modules together have the actions of the whole, each equal", async () => {
  const whole = await document("/openapi.json");
  const seen: Record<string, object> = {};
  for (const module of Object.keys(registry)) {
    const path = `/openapi/${module}.json`;
    const part = await document(path);
    expect(JSON.stringify(part).length).toBeLessThanOrEqual(300_000);
    expect(part.info).toEqual(whole.info);
    Object.assign(seen, part.paths);
    const text = JSON.stringify(part);
    for (const [, kind = "", name = ""] of text.matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)) {
      const components: Readonly<Record<string, Readonly<Record<string, object>>>> =
        part.components;
      expect([path, name, components[kind]?.[name]]).toEqual([path, name, expect.anything()]);
    }
    for (const name of Object.keys(part.components.schemas)) {
      expect([path, name, text.includes(`/schemas/${name}"`)]).toEqual([path, name, true]);
    }
    expect((await server.app.inject(`/31337${path}`)).body).toBe(
      (await server.app.inject(path)).body,
    );
  }
  const actions = Object.entries(whole.paths).filter(([path]) =>
    /^\/(?:v2\/)?api\/\w+\/\w+$/.test(path),
  );
  expect(seen).toEqual(Object.fromEntries(actions));
});

test.each(["/openapi/nothing.json", "/openapi/account", "/openapi/constructor.json"])(
  "%s is not there, and says so in JSON",
  async (path) => {
    const { statusCode, headers } = await server.app.inject({
      url: path,
      headers: { accept: "text/html" },
    });
    expect(statusCode).toBe(404);
    expect(headers).toMatchObject({
      "content-type": "application/json; charset=utf-8",
      "x-periscope-error": "unknown-path",
    });
  },
);

test("the guide names every action, and each of its links leads somewhere", async () => {
  for (const [prefix, base] of [
    ["", "https://chain.example"],
    ["/31337", "https://chain.example/31337"],
  ]) {
    const { body, headers } = await server.app.inject(`${prefix}/llms.txt`);
    expect(headers).toMatchObject({
      "content-type": "text/plain; charset=utf-8",
      "cache-control": "max-age=3600",
    });
    expect(body.length).toBeLessThanOrEqual(20_000);
    expect(body).toMatch(/^# Periscope\n\n> /);
    for (const { action } of actionsIn("etherscan")) {
      expect(body).toContain(`\`${action.name}\` (${action.summary})`);
    }
    const links = [...body.matchAll(/\]\(([^)]+)\)/g)].map(([, link = ""]) => link);
    expect(links.length).toBeGreaterThan(12);
    for (const link of links.filter((each) => !each.endsWith("/mcp"))) {
      expect(link.startsWith(`${base}/`)).toBe(true);
      const { statusCode } = await server.app.inject(link.replace("https://chain.example", ""));
      expect([link, statusCode]).toEqual([link, 200]);
    }
  }
});

test("search engines are asked to leave the API alone, and by default the chain's pages", async () => {
  const { body, headers } = await server.app.inject("/robots.txt");
  expect(headers["content-type"]).toBe("text/plain; charset=utf-8");
  expect(body).toMatch(/^User-agent: \*\nDisallow: \/api\n/);
  expect(body).toContain("\nDisallow: /tx/\nDisallow: /*/tx/\n");
  const open = await createTestApp({ robotsAllowed: true });
  expect((await open.app.inject("/robots.txt")).body).not.toContain("/tx/");
  await open.close();
});
