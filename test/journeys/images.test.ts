/** The examples of docs/API.md about images, SBOMs and scans, run as they are printed there. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { newFolder, newStateFolder, root } from "../cli/command.ts";
import { grypeReport, matchOf } from "../registry/grype_reports.ts";
import { spdxDocument } from "../registry/sbom/documents.ts";
import { newRepo, sha256Of } from "../registry/stored_images.ts";
import { newOrganization } from "../world/personas.ts";
import { baseUrl } from "../world/platform.ts";

const page = readFileSync(new URL("../../docs/API.md", import.meta.url), "utf8");

test("an image comes in with all that is known of it, and is read", async () => {
  const [, section = ""] = page.split("## Images, SBOMs and scans\n");
  const examples = [...(section.split("\n## ")[0] ?? "").matchAll(/```bash\n([\s\S]*?)```/g)];
  const [imports, read] = examples.map(([, command = ""]) => command);
  const organization = await newOrganization();
  const repo = await newRepo(organization);
  const config = JSON.stringify({ architecture: "amd64", os: "linux", config: { User: "u" } });
  const manifest = JSON.stringify({ config: { size: 5, digest: sha256Of(config) }, layers: [] });
  const digest = sha256Of(manifest);
  const folder = await newFolder();
  const report = JSON.stringify(grypeReport([matchOf("CVE-2026-1001", "High")]));
  const spdx = JSON.stringify(spdxDocument());
  const files = { "config.json": config, "manifest.json": manifest, "python.spdx.json": spdx };
  for (const [name, text] of Object.entries({ ...files, "python.grype.json": report })) {
    await writeFile(join(folder, name), text);
  }
  await symlink(join(root, "cli/platformctl.js"), join(folder, "platformctl"));
  const env = {
    ...{ ...process.env, PATH: `${folder}:${process.env.PATH}` },
    ...{ API: baseUrl(), TOKEN: organization.owner.token, REPO: repo, DIGEST: digest },
    PLATFORM_STATE: await newStateFolder(organization),
  };
  const run = async (command = "") =>
    (await promisify(execFile)("bash", ["-euo", "pipefail", "-c", command], { cwd: folder, env }))
      .stdout;
  const told = await run(imports);
  expect(told).toContain("1 vulnerability");
  const sbom = JSON.parse(told.slice(told.lastIndexOf("\n{")));
  expect(sbom).toMatchObject({ digest, format: "SBOM_FORMAT_SPDX" });
  const answer = JSON.parse(await run(read));
  expect(answer.vulnerabilityMatches).toMatchObject([{ vulnerability: { id: "CVE-2026-1001" } }]);
});
