/** The choice of the images of an index that are compared. */
import { expect, test } from "vitest";
import { platformFor, platformsOf } from "../../../console/timeline/platforms.ts";

const entry = (digest: string, platform: object) => ({ digest, platform });

test("the platforms of an index are named, without attestations and entries that are malformed", () => {
  const manifests = [
    entry("sha256:a", { os: "linux", architecture: "amd64" }),
    entry("sha256:b", { os: "linux", architecture: "arm", variant: "v7" }),
    entry("sha256:c", { os: "unknown", architecture: "unknown" }),
    entry("sha256:d", {}),
    { platform: { os: "linux", architecture: "s390x" } },
    null,
  ];
  expect(platformsOf({ manifests })).toEqual([
    { name: "linux/amd64", digest: "sha256:a" },
    { name: "linux/arm/v7", digest: "sha256:b" },
  ]);
  for (const other of [{}, { manifests: "x" }]) expect(platformsOf(other)).toEqual([]);
});

test("the platform of the address is compared, otherwise linux/amd64, otherwise the first", () => {
  const of = (...names: string[]) => names.map((name) => ({ name, digest: `sha256:${name}` }));
  const both = [of("linux/arm64"), of("linux/arm64", "linux/amd64")];
  expect(platformFor("linux/arm64", both)).toBe("linux/arm64");
  expect(platformFor("", both)).toBe("linux/amd64");
  expect(platformFor("windows/amd64", [of("linux/riscv64"), []])).toBe("linux/riscv64");
  expect(platformFor("", [[], []])).toBe("");
});
