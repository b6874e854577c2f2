/** The images of an index that are compared. */
import { expect, test } from "vitest";
import { platformFor, platformsOf } from "../../../console/timeline/platforms.ts";

test("a platform has the name of its system and architecture, and one without a digest is left out", () => {
  const size = "0";
  expect(
    platformsOf([
      { os: "linux", architecture: "amd64", digest: "sha256:a", size },
      { architecture: "arm/v7", digest: "sha256:b", size },
      { os: "linux", architecture: "s390x", size },
      { os: "linux", digest: "sha256:c", size },
    ]),
  ).toEqual([
    { name: "linux/amd64", digest: "sha256:a" },
    { name: "arm/v7", digest: "sha256:b" },
  ]);
  expect(platformsOf()).toEqual([]);
});

test("the platform of the address is compared, otherwise linux/amd64, otherwise the first", () => {
  const of = (...names: string[]) => names.map((name) => ({ name, digest: `sha256:${name}` }));
  const both = [of("linux/arm64"), of("linux/arm64", "linux/amd64")];
  expect(platformFor("linux/arm64", both)).toBe("linux/arm64");
  expect(platformFor("", both)).toBe("linux/amd64");
  expect(platformFor("", [of("arm64", "amd64")])).toBe("amd64");
  expect(platformFor("windows/amd64", [of("linux/riscv64"), []])).toBe("linux/riscv64");
  expect(platformFor("", [[], []])).toBe("");
});
