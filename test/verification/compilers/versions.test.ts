import { expect, test } from "vitest";
import {
  chooseBuild,
  formatVersion,
  nearestVersions,
  parseVersion,
} from "../../../src/verification/compilers/versions.ts";

test.each([
  ["v0.8.20+commit.a1b79de6", "0.8.20+commit.a1b79de6"],
  ["0.8.20+commit.a1b79de6.Emscripten.clang", "0.8.20+commit.a1b79de6"],
  ["0.8.20+commit.a1b79de6.Linux.g++", "0.8.20+commit.a1b79de6"],
  ["0.8.20+commit.a1b79de62a0d9a0c3b3b", "0.8.20+commit.a1b79de6"],
  ["v0.8.20", "0.8.20"],
  ["v0.8.21-nightly.2023.6.28+commit.ec9e8f3f", "0.8.21-nightly.2023.6.28+commit.ec9e8f3f"],
  ["v0.8.21-ci.2023.6.28+commit.ec9e8f3f", "0.8.21-nightly.2023.6.28+commit.ec9e8f3f"],
  ["vyper:0.3.10", "0.3.10"],
  ["0.3.6-3fc68da5/Release-Emscripten/clang", "0.3.6+commit.3fc68da5"],
  ["0.1.1-6ff4cd6b/RelWithDebInfo-Emscripten/clang/int", "0.1.1+commit.6ff4cd6b"],
  ["v0.4.1rc1+commit.8a93dd27", "0.4.1rc1+commit.8a93dd27"],
  ["0.4.0-rc6", "0.4.0rc6"],
  ["v0.1.0-beta.17+commit.0671b7b", "0.1.0b17+commit.0671b7b"],
])("reads %s as %s", (text, version) => {
  const parsed = parseVersion(text);
  expect(parsed && formatVersion(parsed)).toBe(version);
});

test.each(["", "latest", "0.8", "v0.8.20+commit.zz", "../0.8.20", "0.8.20\n0.8.21", "9999.0.0"])(
  "takes %j for no version",
  (text) => {
    expect(parseVersion(text)).toBeUndefined();
  },
);

function builds(...versions: string[]) {
  return versions.map((text) => {
    const version = parseVersion(text);
    if (version === undefined) throw new Error(text);
    return { text, version };
  });
}

function choose(wanted: string, ...known: string[]): string | undefined {
  const version = parseVersion(wanted);
  return version && chooseBuild(version, builds(...known))?.text;
}

test("the same commit wins over a shorter form of it, that over another commit of the release", () => {
  const [exact, short, other] = [
    "0.5.9+commit.e560f70d",
    "0.5.9+commit.e560f7",
    "0.5.9+commit.c68bc34e",
  ];
  expect(choose(exact, other, short, exact)).toBe(exact);
  expect(choose(exact, other, short)).toBe(short);
  expect(choose(exact, other)).toBe(other);
  expect(choose(exact, "0.5.10+commit.5a6ea5b1")).toBeUndefined();
});

test("a release alone is enough when one commit answers it", () => {
  expect(choose("0.5.9", "0.5.9+commit.e560f70d", "0.5.9+commit.e560f70d")).toBe(
    "0.5.9+commit.e560f70d",
  );
  expect(choose("0.5.9", "0.5.9+commit.e560f70d", "0.5.9+commit.c68bc34e")).toBeUndefined();
});

test("commits of 7 and 8 digits are one", () => {
  expect(choose("0.3.7", "0.3.7+commit.6020b8b", "0.3.7+commit.6020b8bb")).toBe(
    "0.3.7+commit.6020b8b",
  );
  expect(choose("0.3.7+commit.6020b8bb", "0.3.7+commit.6020b8b")).toBe("0.3.7+commit.6020b8b");
});

test("a pre-release is answered by that commit only", () => {
  const nightly = "0.8.21-nightly.2023.6.28+commit.ec9e8f3f";
  expect(choose(nightly, "0.8.21+commit.d9974bed", nightly)).toBe(nightly);
  expect(choose(nightly, "0.8.21+commit.d9974bed")).toBeUndefined();
  expect(choose(nightly, "0.8.21-nightly.2023.6.28+commit.aaaaaaaa")).toBeUndefined();
  expect(choose("0.8.21", nightly)).toBeUndefined();
});

test("the nearest versions come first, at most three", () => {
  const known = builds(
    "0.8.1+commit.df193b15",
    "0.7.6+commit.7338295f",
    "0.8.30+commit.73712a01",
    "0.8.20+commit.a1b79de6",
  );
  expect(nearestVersions(parseVersion("0.8.19"), known)).toEqual([
    "v0.8.20+commit.a1b79de6",
    "v0.8.30+commit.73712a01",
    "v0.8.1+commit.df193b15",
  ]);
  expect(nearestVersions(undefined, known)[0]).toBe("v0.8.30+commit.73712a01");
});
