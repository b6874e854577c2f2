/** Indexes that name manifests which their repository does not have. */
import { expect, test } from "vitest";
import { costOf, sql } from "../../world/platform.ts";
import {
  descriptorOf,
  indexType,
  manifestType,
  newTarget,
  pushImage,
  putManifest,
} from "../client.ts";

test("an index of 2,000 manifests that the repository does not have writes few rows", async () => {
  const target = await newTarget();
  await pushImage(target, "latest");
  const index = (of: string) => ({
    schemaVersion: 2,
    mediaType: indexType,
    manifests: Array.from({ length: 2_000 }, (_, at) => ({
      ...descriptorOf(`${of} ${at}`, manifestType),
      platform: { os: "linux", architecture: "arm64" },
    })),
  });
  const put = async (document: object) => {
    const answer = await putManifest(target, "index", JSON.stringify(document), indexType);
    expect(answer.status).toBe(201);
    return costOf(answer).rowsWritten;
  };
  const one = await put({ ...index("one"), manifests: index("one").manifests.slice(0, 1) });
  const [{ n: before }] = (await sql("select count(*) as n from blobs")) as [{ n: number }];
  // 100 of them lead to the tags of the index, in a table with one index.
  expect(await put(index("many"))).toBeLessThan(one + 220);
  const [{ n: after }] = (await sql("select count(*) as n from blobs")) as [{ n: number }];
  expect(after - before).toBeLessThan(50);
});
