/**
 * The OCI's own conformance suite (https://github.com/opencontainers/distribution-spec/tree/main/conformance)
 * with every optional test. It needs Go, and the folder of the suite next to the project.
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { startOwnRegistry } from "./own_registry.ts";

const suite = fileURLToPath(new URL("../../../shared/oci-conformance/run", import.meta.url));
const go = ["/usr/local/go/bin", ...(process.env.PATH ?? "").split(":")].find((folder) =>
  existsSync(join(folder, "go")),
);
const reason = [go ? "" : "Go", existsSync(suite) ? "" : suite].filter((part) => part !== "");

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}

/** The number of results with a status in the report: `Pass..........................:       1032`. */
const countOf = (report: string, status: string) =>
  Number(new RegExp(`^ {2}${status}\\.+: +(\\d+)$`, "m").exec(report)?.[1]);

if (reason.length > 0)
  console.warn(`The OCI conformance suite is skipped: there is no ${reason.join(" and no ")}.`);

test.skipIf(reason.length > 0)(
  "the registry passes every test of the OCI conformance suite, required and optional",
  { timeout: 300_000 },
  async () => {
    const port = await freePort();
    const host = `127.0.0.1:${port}`;
    const registry = await startOwnRegistry({
      port,
      bindings: { REGISTRY_URL: `http://${host}`, SPARSE_IMAGES: "true" },
    });
    const build = await mkdtemp(join(tmpdir(), "conformance-"));
    try {
      const { token } = await registry.newTarget();
      const results = join(build, "results");
      const { stdout } = await promisify(execFile)(suite, [], {
        env: {
          ...process.env,
          PATH: `${go}:${process.env.PATH}`,
          HOME: process.env.HOME ?? build,
          OCI_BUILD_DIR: build,
          OCI_RESULTS_DIR: results,
          OCI_REGISTRY: host,
          OCI_REPO1: `${registry.organization}/one`,
          OCI_REPO2: `${registry.organization}/two`,
          OCI_USERNAME: "_token",
          OCI_PASSWORD: token,
        },
        maxBuffer: 64 * 1024 * 1024,
      }).catch((failed) => failed as { stdout: string });
      const report = /OCI Conformance Result: [\s\S]*?\n\n/.exec(stdout)?.[0] ?? stdout;
      expect(
        [countOf(report, "FAIL"), countOf(report, "Error"), countOf(report, "Skip")],
        report,
      ).toEqual([0, 0, 0]);
      expect(countOf(report, "Pass")).toBeGreaterThan(1000);
      expect(await readFile(join(results, "junit.xml"), "utf8")).toContain("<testsuite");
    } finally {
      await registry.stop();
      await rm(build, { recursive: true });
    }
  },
);
