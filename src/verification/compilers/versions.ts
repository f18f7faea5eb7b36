/** A compiler's own version: `0.8.20+commit.a1b79de6`, `0.8.21-nightly.2023.6.28+commit.ec9e8f3f`. */
export interface CompilerVersion {
  /** `0.8.20`. */
  release: string;
  /** `-nightly.2023.6.28`, vyper's `rc1`; empty for a release. */
  prerelease: string;
  /** Hex digits of the commit; empty without one. */
  commit: string;
}

const VERSION =
  /^(?:vyper:)?v?(\d{1,3}\.\d{1,3}\.\d{1,3})(-?(?:nightly|ci|pre|develop|alpha|beta|rc|a|b)[.\d-]*\d)?(?:\+commit\.([0-9a-f]{6,40}))?(?:\.[\w.+-]*)?$/;

/** `-rc6`, `rc6`, `-beta.17` and `b17`: forms of vyper and of lists of its releases. */
const VYPER_PRERELEASE = /^-?(a|b|rc)(?:lpha|eta)?\.?(?=\d)/;

/** solc's own version up to 0.3.6: `0.3.6-3fc68da5/Release-Emscripten/clang`. */
const OLD_VERSION = /^(\d\.\d\.\d)-([0-9a-f]{8})[/*].*/;

/** Parses a version in any client's spelling; `-ci.` means `-nightly.`. Undefined for anything else. */
export function parseVersion(text: string): CompilerVersion | undefined {
  const today = text.trim().replace(OLD_VERSION, "$1+commit.$2");
  const [, release, prerelease, commit] = VERSION.exec(today) ?? [];
  if (release === undefined) return undefined;
  return {
    release,
    prerelease: (prerelease ?? "").replace(/^-ci\b/, "-nightly").replace(VYPER_PRERELEASE, "$1"),
    commit: commit ?? "",
  };
}

/** Formats the long version: `0.8.20+commit.a1b79de6`, with 8 digits of the commit. */
export function formatVersion({ release, prerelease, commit }: CompilerVersion): string {
  const name = `${release}${prerelease}`;
  return commit === "" ? name : `${name}+commit.${commit.slice(0, 8)}`;
}

/** Compares releases: negative, zero or positive when `left` is older than, equal to or newer than `right`. */
export function compareReleases(left: string, right: string): number {
  const [a, b] = [left, right].map((release) => release.split(".").map(Number));
  for (let index = 0; index < 3; index++) {
    const difference = (a?.[index] ?? 0) - (b?.[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** How a build fits a request: by the same commit, by the common prefix of both commits, or by the release. */
type Fit = "commit" | "prefix" | "release";
const FITS: readonly Fit[] = ["commit", "prefix", "release"];

function compareWithRequest(wanted: CompilerVersion, build: CompilerVersion): Fit | undefined {
  if (wanted.release !== build.release || wanted.prerelease !== build.prerelease) return undefined;
  if (wanted.commit === build.commit) return "commit";
  if (isSameCommit(wanted, build)) return "prefix";
  // Builds of one release for different platforms have different commits.
  return wanted.prerelease === "" ? "release" : undefined;
}

/** Returns whether both commits are equal up to the shorter one; an empty one may be any. */
function isSameCommit(left: CompilerVersion, right: CompilerVersion): boolean {
  return left.commit.startsWith(right.commit) || right.commit.startsWith(left.commit);
}

/** Returns whether both may be the same version: equal release and pre-release, and commits equal up to the shorter one. */
export function isSameVersion(left: CompilerVersion, right: CompilerVersion): boolean {
  return ["commit", "prefix"].includes(compareWithRequest(left, right) ?? "");
}

/** Chooses the first of the best-fitting builds. Undefined if none fits, or if no commit is wanted and the builds' differ. */
export function chooseBuild<Build extends { version: CompilerVersion }>(
  wanted: CompilerVersion,
  builds: readonly Build[],
): Build | undefined {
  for (const fit of FITS) {
    const fitting = builds.filter((build) => compareWithRequest(wanted, build.version) === fit);
    const isOne = fitting.every(({ version }) =>
      fitting.every((other) => isSameCommit(version, other.version)),
    );
    if (wanted.commit === "" && !isOne) return undefined;
    if (fitting[0] !== undefined) return fitting[0];
  }
  return undefined;
}

/** Returns the first build of the request's commit; undefined without a commit, or without a build. */
export function chooseExactBuild<Build extends { version: CompilerVersion }>(
  wanted: CompilerVersion,
  builds: readonly Build[],
): Build | undefined {
  const isExact = ({ version }: Build): boolean =>
    version.commit !== "" && isSameVersion(wanted, version);
  return wanted.commit === "" ? undefined : builds.find(isExact);
}

const NEAREST = 3;

/** Returns long versions of the builds with the nearest releases, the nearest first. */
export function nearestVersions(
  wanted: CompilerVersion | undefined,
  builds: readonly { version: CompilerVersion }[],
): string[] {
  const weight = ({ release }: CompilerVersion): number =>
    release.split(".").reduce((sum, part) => sum * 1000 + Number(part), 0);
  const target = wanted === undefined ? Number.POSITIVE_INFINITY : weight(wanted);
  const distance = (version: CompilerVersion) => Math.abs(Math.min(target, 1e9) - weight(version));
  const sorted = builds
    .map(({ version }) => version)
    .sort((left, right) => distance(left) - distance(right));
  return [...new Set(sorted.map((version) => `v${formatVersion(version)}`))].slice(0, NEAREST);
}

export type CompilerFamily = "solc" | "vyper";

/** `soljson`: solc as JavaScript. `native`: solc as an executable. `vyper`: always an executable. */
export type CompilerKind = "soljson" | "native" | "vyper";

/** A compiler file on this machine. */
export interface CompilerBuild {
  kind: CompilerKind;
  /** The version in its file name or list; checked by `openCompiler`. */
  version: CompilerVersion;
  file: string;
}

const FILE_NAMES: readonly { pattern: RegExp; kind: CompilerKind; family: CompilerFamily }[] = [
  { pattern: /^soljson-(v[\w.+-]+)\.js$/, kind: "soljson", family: "solc" },
  { pattern: /^solc(?:-[a-z]+-[a-z0-9]+)?-(v[\w.+-]+)$/, kind: "native", family: "solc" },
  { pattern: /^vyper[.-]?(v?\d[\w.+-]*?)(?:\.linux)?$/, kind: "vyper", family: "vyper" },
];

/** Parses a compiler's file name; undefined for other names. The commit may be missing. */
export function parseFileName(name: string) {
  for (const { pattern, kind, family } of FILE_NAMES) {
    const version = parseVersion(pattern.exec(name)?.[1] ?? "");
    if (version !== undefined) return { kind, family, version };
  }
  return undefined;
}
