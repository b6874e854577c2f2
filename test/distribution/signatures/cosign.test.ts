/**
 * The real cosign signs images, and verifies what the platform signs. The variables `COSIGN_2` and `COSIGN_3` name programs of
 * these versions. Without one, its tests are skipped with a message.
 */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newTrustedPlace, type TrustedPlace } from "./trusted_repo.ts";

const run = promisify(execFile);

/** Each version, with the flags that keep it from asking other servers. */
const versions = [
  { name: "COSIGN_2", offline: ["--tlog-upload=false"] },
  {
    name: "COSIGN_3",
    offline: ["--use-signing-config=false", "--tlog-upload=false"],
  },
];

let place: TrustedPlace;
let folder: string;

for (const { name, offline } of versions) {
  const program = process.env[name];
  test.skipIf(program !== undefined)(`${name} is not set, so this cosign is not tested`, (on) =>
    on.skip(`Set ${name} to a program, such as ~/go/bin/cosign.`),
  );

  describe.runIf(program !== undefined)(name, () => {
    beforeAll(async () => {
      place = await newTrustedPlace();
      folder = await mkdtemp(join(tmpdir(), "cosign-"));
    });
    afterAll(async () => {
      await place.registry.stop();
      await rm(folder, { recursive: true });
    });

    const cosign = (...args: string[]) =>
      run(program ?? "", args, {
        cwd: folder,
        env: { ...process.env, HOME: folder, COSIGN_PASSWORD: "" },
      });
    /** The image, and the flags for the registry. */
    const image = () => {
      const { origin = "", name: path, token } = place.target;
      const reference = `${new URL(origin).host}/${path}@${place.image.digest}`;
      return [`--registry-token=${token}`, "--allow-http-registry", reference];
    };
    const newKey = async () => {
      await rm(join(folder, "cosign.key"), { force: true });
      await rm(join(folder, "cosign.pub"), { force: true });
      await cosign("generate-key-pair");
      return readFile(join(folder, "cosign.pub"), "utf8");
    };

    test("signs an image and attests to it, and both count by a trust policy", async () => {
      await place.begin();
      await place.newPolicy({ publicKeys: [await newKey()] });
      await cosign("sign", "--yes", "--key=cosign.key", ...offline, ...image());
      await writeFile(join(folder, "predicate.json"), '{"name":"sample"}');
      const about = ["--predicate=predicate.json", "--type=https://example.com/sample/v1"];
      await cosign("attest", "--yes", "--key=cosign.key", ...about, ...offline, ...image());
      const found = (await place.verdictsOf()).map(({ predicate }) => predicate);
      expect(found).toEqual(["", "https://example.com/sample/v1"]);
      expect(await place.faultsOf()).not.toContainEqual(expect.stringMatching(/./));
    });

    test("signs with a key that no policy trusts, and nothing counts", async () => {
      await place.begin();
      await place.newPolicy({ publicKeys: [place.key.pem] });
      await newKey();
      await cosign("sign", "--yes", "--key=cosign.key", ...offline, ...image());
      expect([await place.signersOf(), await place.faultsOf()]).toEqual([
        [],
        ["no key of a trust policy made it"],
      ]);
    });

    test("verifies the verdict that the platform signs, by one key, and by no other", async () => {
      await place.begin();
      await place.newPolicy({ publicKeys: [await newKey()], signVerdicts: true });
      await cosign("sign", "--yes", "--key=cosign.key", ...offline, ...image());
      await place.registry.runSchedule();
      const keys = await fetch(`${place.registry.origin}/.well-known/jwks.pem`);
      await writeFile(join(folder, "platform.pub"), await keys.text());
      // Cosign 2 wants one also for a key, and would fetch it.
      const emptyRoot = { mediaType: "application/vnd.dev.sigstore.trustedroot+json;version=0.1" };
      await writeFile(join(folder, "root.json"), JSON.stringify(emptyRoot));
      const verify = (key: string) =>
        cosign(
          ...["verify-attestation", `--key=${key}`, "--insecure-ignore-tlog=true"],
          ...(name === "COSIGN_2" ? ["--new-bundle-format=true", "--trusted-root=root.json"] : []),
          ...["--type=https://slsa.dev/verification_summary/v1", ...image()],
        );
      const { stdout } = await verify("platform.pub");
      expect(stdout).toContain("payload");
      await expect(verify("cosign.pub")).rejects.toThrow();
    });
  });
}
