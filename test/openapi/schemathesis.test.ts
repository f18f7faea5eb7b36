import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Periscope, startPeriscope } from "../support/periscope.ts";
import { runProgram } from "./program.ts";

// Schemathesis makes thousands of requests of the document, odd ones above all, and holds every answer to it. It comes
// from PyPI: python3 -m venv .venv && .venv/bin/pip install schemathesis==4.32.5

const PROGRAM = [
  process.env["SCHEMATHESIS"],
  ...(process.env["PATH"] ?? "").split(":").map((folder) => path.join(folder, "schemathesis")),
].find((file) => file !== undefined && existsSync(file));
const WITHOUT =
  PROGRAM === undefined ? " (skipped: no schemathesis at $SCHEMATHESIS or on the PATH)" : "";

/** Checks for faults of the server, and for undocumented answers. That a bad value is HTTP 400 it does not check. */
const CHECKS = [
  "not_a_server_error",
  "status_code_conformance",
  "content_type_conformance",
  "response_headers_conformance",
  "response_schema_conformance",
];

let folder: string;
let periscope: Periscope;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "periscope-schemathesis-"));
  periscope = startPeriscope({ DATA_DIR: folder, LOG_LEVEL: "info" });
});
afterAll(async () => {
  await periscope.end();
  await rm(folder, { recursive: true, force: true });
});

test.skipIf(PROGRAM === undefined)(
  `every answer is one that the document tells${WITHOUT}`,
  async () => {
    const { origin } = new URL((await periscope.ready).api);
    const ending = await runProgram(
      PROGRAM ?? "",
      [
        ...["run", `${origin}/openapi.json`, "--checks", CHECKS.join(",")],
        ...["--phases", "coverage,fuzzing,stateful", "--max-examples", "10", "--workers", "2"],
        ...["--generation-deterministic", "--request-timeout", "60", "--no-color"],
      ],
      folder,
    );
    // Its exit code speaks of its own errors as well: Python 3.11's parser gives up on some of its generators.
    const counts = /Test cases:\s+(\d+) generated, (\d+) passed\n/.exec(ending.text);
    expect([counts?.[1], ending.text]).toEqual([counts?.[2] ?? "all", ending.text]);
    expect(Number(counts?.[1])).toBeGreaterThan(5000);
  },
);
