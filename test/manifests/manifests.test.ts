import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

// Checks the manifests against Kubernetes' own schemas, which kubectl-validate carries, and the unit by systemd itself.
// The schemas of monitoring.yaml's custom resources come from the Prometheus operator, by Go's proxy of modules.

const OPERATIONS = path.join(import.meta.dirname, "../../docs/operations");
const VALIDATE = process.env["KUBECTL_VALIDATE"] ?? "kubectl-validate";
const OPERATOR = "github.com/prometheus-operator/prometheus-operator@v0.79.2";
/** Exposure as `systemd-analyze security` counts it, from 0 to 10. */
const HIGHEST_EXPOSURE = 3;

const run = promisify(execFile);
let folder: string;
let rendered: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "periscope-manifests-"));
  rendered = (await run("kubectl", ["kustomize", path.join(OPERATIONS, "kubernetes")])).stdout;
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function validate(text: string, version: string, ...more: string[]): Promise<string> {
  const file = path.join(folder, "rendered.yaml");
  await writeFile(file, text);
  const done = await run(VALIDATE, ["--version", version, ...more, file]).catch((error) => error);
  return `${done.stdout}${done.stderr}`;
}

test.each(["1.27", "1.29", "1.30"])("Kubernetes %s accepts the manifests", async (version) => {
  expect(await validate(rendered, version)).toMatch(/OK/);
});

test("a misspelled field is found", async () => {
  const misspelled = rendered.replace("runAsUser:", "runAsUsr:");
  expect(misspelled).not.toBe(rendered);
  expect(await validate(misspelled, "1.30")).toContain("unknown field");
});

test("the Prometheus operator accepts the manifests of monitoring, and no misspelled one", async () => {
  const { stdout } = await run("go", ["mod", "download", "-json", OPERATOR]);
  const schemas = `${JSON.parse(stdout).Dir}/example/prometheus-operator-crd`;
  const text = await readFile(path.join(OPERATIONS, "kubernetes/monitoring.yaml"), "utf8");
  const accepted = await validate(text, "1.30", "--local-crds", schemas);
  expect(accepted).toMatch(/OK/);
  expect(accepted).not.toMatch(/ERROR/);
  for (const name of ["podMetricsEndpoints", "endpoints"]) {
    const misspelled = text.replace(`  ${name}:\n    - port:`, `  ${name}:\n    - prt:`);
    expect(misspelled).not.toBe(text);
    expect(await validate(misspelled, "1.30", "--local-crds", schemas)).toContain("unknown field");
  }
});

test("each pod fits the restricted standard of its namespace", () => {
  const pods = rendered.split(/^---$/m).filter((part) => /^kind: Deployment$/m.test(part));
  expect(pods).toHaveLength(2);
  for (const pod of pods) {
    expect(pod).toContain("runAsNonRoot: true");
    expect(pod).toContain("runAsUser: 1000");
    expect(pod).toContain("allowPrivilegeEscalation: false");
    expect(pod).toContain("readOnlyRootFilesystem: true");
    expect(pod).toContain("type: RuntimeDefault");
    expect(pod).toMatch(/drop:\n\s+- ALL/);
  }
});

test("the image has the version of the package", async () => {
  const { version } = JSON.parse(
    await readFile(path.join(OPERATIONS, "../../package.json"), "utf8"),
  );
  expect(rendered).toContain(`image: registry.example/periscope:${version}`);
});

test("systemd accepts the unit and finds it confined", async () => {
  const unit = path.join(OPERATIONS, "periscope.service");
  const limit = `--threshold=${HIGHEST_EXPOSURE * 10}`;
  const { stdout } = await run("systemd-analyze", ["security", "--offline=true", limit, unit]);
  expect(stdout).toContain("Overall exposure level");
});
