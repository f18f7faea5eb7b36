import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BUNDLED_VERSION, createCatalogue } from "../../../src/verification/compilers/catalogue.ts";

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), "periscope-test-catalogue-"));
  const names = [
    "soljson-v0.8.20+commit.a1b79de6.js",
    "solc-v0.8.20+commit.a1b79de6",
    "solc-linux-amd64-v0.8.21+commit.d9974bed",
    "soljson-v0.8.22.js",
    "soljson-v0.8.23+commit.f704f362.js.part",
    "soljson-../../x.js.txt",
    "vyper.0.3.10+commit.91361694.linux",
    "vyper-v0.4.3+commit.bff19ea2",
    "vyper.0.4.0rc6+commit.3371956.linux",
    "README",
  ];
  for (const name of names) writeFileSync(path.join(folder, name.replaceAll("/", "_")), "");
});

afterAll(() => rmSync(folder, { recursive: true }));

function catalogue(solc: string | undefined, vyper = solc) {
  return createCatalogue({
    folders: { solc, vyper },
    downloads: { solc: undefined, vyper: undefined },
  });
}

test("lists the bundled compiler and those of the folders, the newest first", async () => {
  expect(await catalogue(undefined).list("solc")).toEqual([`v${BUNDLED_VERSION}`]);
  expect(await catalogue(undefined).list("vyper")).toEqual([]);
  expect(await catalogue(folder).list("solc")).toEqual([
    `v${BUNDLED_VERSION}`,
    "v0.8.22",
    "v0.8.21+commit.d9974bed",
    "v0.8.20+commit.a1b79de6",
  ]);
  expect(await catalogue(folder).list("vyper")).toEqual([
    "v0.4.3+commit.bff19ea2",
    "v0.4.0rc6+commit.3371956",
    "v0.3.10+commit.91361694",
  ]);
});

test("prefers an executable to the same version in JavaScript", async () => {
  const build = await catalogue(folder).resolve("solc", "v0.8.20+commit.a1b79de6");
  expect(build).toMatchObject({
    kind: "native",
    file: path.join(folder, "solc-v0.8.20+commit.a1b79de6"),
  });
});

test("a file that names no commit answers every commit of its release, and the release alone", async () => {
  for (const wanted of ["v0.8.22+commit.4fc1097e", "0.8.22"]) {
    const build = await catalogue(folder).resolve("solc", wanted);
    expect(path.basename(build.file)).toBe("soljson-v0.8.22.js");
  }
});

test("commits of 7 and 8 digits are one, and vyper's pre-releases have one name", async () => {
  for (const wanted of ["0.3.10+commit.9136169", "0.4.0-rc6", "0.4.0rc6+commit.33719560"]) {
    const build = await catalogue(folder).resolve("vyper", wanted);
    expect(path.basename(build.file)).toMatch(/0\.3\.10|rc6/);
  }
});

test("a folder that does not exist is empty", async () => {
  expect(await catalogue(path.join(folder, "none")).list("solc")).toEqual([`v${BUNDLED_VERSION}`]);
});

test("a version that is not there is refused with the nearest ones", async () => {
  await expect(catalogue(folder).resolve("solc", "v0.8.19+commit.7dd6d404")).rejects.toMatchObject({
    failure: {
      code: "compiler-unavailable",
      requested: "v0.8.19+commit.7dd6d404",
      nearest: ["v0.8.20+commit.a1b79de6", "v0.8.21+commit.d9974bed", "v0.8.22"],
    },
  });
  await expect(catalogue(undefined).resolve("vyper", "vyper:0.3.10")).rejects.toMatchObject({
    message:
      "Compiler version does not match, please try again. vyper:0.3.10 is not available here.",
  });
});
