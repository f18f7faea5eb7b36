import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { settings } from "../src/settings/config.ts";
import { writeIndexerStatus } from "../src/store/sync-state.ts";
import { createProcessMetrics } from "../src/telemetry/process-metrics.ts";
import { createTestApp, type TestApp } from "./support/app.ts";
import { publish } from "./support/build.ts";

const ROOT = path.join(import.meta.dirname, "..");
const DOCUMENTS = ["README.md", ...globSync("docs/**/*.md", { cwd: ROOT })];
/** Variables of the composition, of clients and of the tests, no settings of the program. */
const OTHERS =
  /^(?:POSTGRES_PASSWORD|DOCKER_HOST|BIND_ADDRESS|NODE_OPTIONS|COMMIT|BASE|HOSTILE_TABLE|SOURCIFY_API_BASE|ETHERSCAN_BASE\w*|\w+_(?:SEEDS?|KILLS|REQUESTS|READS|LOSSES|ACTS|FIRST|PATIENCE))$/;

function read(document: string): string {
  return readFileSync(path.join(ROOT, document), "utf8");
}

/** Contents of the fenced blocks of some languages. */
function blocksOf(document: string, ...languages: string[]): string[] {
  const fences = [...read(document).matchAll(/^```(\w*)\n(.*?)^```$/gms)];
  return fences
    .filter(([, language = ""]) => languages.includes(language))
    .map(([, , content = ""]) => content);
}

/** The anchors of a document, as GitHub makes them of its headings. */
function anchorsOf(document: string): string[] {
  return [...read(document).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );
}

test.each(DOCUMENTS)("%s links to headings that there are", (document) => {
  for (const [, file = "", anchor = ""] of read(document).matchAll(/\]\(([^)#\s:]*)#([^)]+)\)/g)) {
    const target = file === "" ? document : path.join(path.dirname(document), file);
    expect(anchorsOf(target)).toContain(anchor);
  }
});

test("comments cite headings that there are", () => {
  const sources = globSync(["src/**/*.ts", "test/**/*.ts"], {
    cwd: ROOT,
    exclude: (file) => file.includes("node_modules"),
  });
  const citations = sources.flatMap((source) => [
    ...read(source).matchAll(/(docs\/[\w./-]+\.md),[\s*/]*"([^"]+)"(?: and "([^"]+)")?/g),
  ]);
  expect(citations.length).toBeGreaterThan(8);
  for (const [citation, document = "", ...headings] of citations) {
    for (const heading of headings.filter((each) => each !== undefined)) {
      const text = heading.replaceAll(/\s*\n\s*(?:\*|\/\/) ?/g, " ");
      expect([citation, read(document)]).toEqual([
        citation,
        expect.stringMatching(new RegExp(`^#+ ${text}\\b`, "m")),
      ]);
    }
  }
});

test.each(DOCUMENTS)("%s names settings that there are", (document) => {
  const commands = blocksOf(document, "sh", "ini").flatMap((block) => [
    ...block.matchAll(/\b([A-Z][A-Z_]{3,})=/g),
  ]);
  const words = [...read(document).matchAll(/`([A-Z][A-Z]+_[A-Z_]+)(?:=[^`]*)?`/g)];
  const names = [...commands, ...words].map(([, name = ""]) => name);
  for (const name of names.filter((candidate) => !OTHERS.test(candidate))) {
    expect(Object.keys(settings)).toContain(name);
  }
});

describe("on a server", () => {
  let server: TestApp;
  let metricNames: Set<string>;

  beforeAll(async () => {
    server = await createTestApp({ chainId: () => 31_337 });
    await publish(server.sql, {
      blocks: [{ number: 0 }],
      dailyStatistics: [{ day: "2025-07-01", blockCount: 1 }],
    });
    await writeIndexerStatus(server.sql, {
      phase: "following",
      nodeHead: 0,
      pending: { coins: 0, holdings: 0, tokens: 0 },
    });
    const { body } = await server.app.inject("/metrics");
    metricNames = new Set([...body.matchAll(/^# HELP (\w+)/gm)].map(([, name = ""]) => name));
  });
  afterAll(() => server.close());

  // Those of the README are asked on the chain that they are made for: examples.test.ts.
  const others = DOCUMENTS.filter((document) => document !== "README.md");
  test.each(others)("the requests in %s are answered", async (document) => {
    const commands = blocksOf(document, "sh")
      .join("\n")
      .replaceAll(/\\\n\s*/g, " ")
      .split("\n")
      .filter((line) => line.startsWith("curl "))
      // Verifications are sent as a form; main.test.ts does so.
      .filter((line) => !line.includes(" -F "));
    for (const command of commands) {
      const [, url = ""] = /http:\/\/localhost:4000([^\s']*)/.exec(command) ?? [];
      const [, data] = / -d '([^']*)'/.exec(command) ?? [];
      const answer = await server.app.inject({
        url,
        ...(data !== undefined && {
          method: "POST",
          payload: data,
          headers: { "content-type": "application/json" },
        }),
      });
      expect([command, answer.statusCode]).toEqual([command, 200]);
      expect([command, answer.json().message ?? "OK"]).not.toContain("NOTOK");
    }
  });

  /** The metrics that a text speaks of; the parts of a histogram are its own. */
  function metricsIn(text: string): string[] {
    const names = text.match(/\b(?:periscope|process|nodejs)_\w+\w\b/g) ?? [];
    return [...new Set(names)].map((name) =>
      metricNames.has(name) ? name : name.replace(/_(?:bucket|sum|count)$/, ""),
    );
  }

  function queriesOfDashboard(): string[] {
    const dashboard = JSON.parse(read("docs/operations/grafana-dashboard.json")) as {
      panels: { targets?: { expr: string }[] }[];
    };
    return dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  }

  function queriesOfAlerts(): string[] {
    const alerts = parse(read("docs/operations/alerts.yml")) as {
      groups: { rules: { alert: string; expr: string }[] }[];
    };
    return alerts.groups.flatMap(({ rules }) => rules.map(({ expr }) => expr));
  }

  test("the alerts tell chains apart, and the dashboard shows the chosen ones", () => {
    const ofProcess = new Set(
      createProcessMetrics()
        .registry.getMetricsAsArray()
        .map(({ name }) => name),
    );
    const isOfChain = (query: string) => metricsIn(query).some((name) => !ofProcess.has(name));
    const alerts = queriesOfAlerts().filter(isOfChain);
    const labels = alerts.flatMap((query) => [
      ...query.matchAll(/\b(?:sum|min|max|on)\b(?: by)? ?\(([^)]*)\)/g),
    ]);
    expect(labels.length).toBeGreaterThan(10);
    for (const [text, names = ""] of labels)
      expect([text, names]).toEqual([text, expect.stringMatching(/\bchain\b/)]);
    for (const query of queriesOfDashboard().filter(isOfChain)) {
      for (const [selector] of query.matchAll(/periscope_\w+\{[^}]*/g))
        expect(selector).toContain('chain=~"$chain"');
    }
  });

  test("the metrics of the documents, the dashboard and the alerts exist", () => {
    const monitoring = read("docs/operations/monitoring.md");
    const expressions = [...queriesOfDashboard(), ...queriesOfAlerts()];
    expect(expressions.length).toBeGreaterThan(40);
    for (const text of [monitoring, ...expressions]) {
      for (const name of metricsIn(text)) expect(metricNames).toContain(name);
    }
  });

  test("the document tells every metric of ours", () => {
    const told = metricsIn(read("docs/operations/monitoring.md"));
    const ours = [...metricNames].filter((name) => name.startsWith("periscope_"));
    expect(ours.filter((name) => !told.includes(name))).toEqual([]);
  });
});
