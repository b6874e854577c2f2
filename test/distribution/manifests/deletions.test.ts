/** Deletions of tags, manifests and repositories. */
import { describe, expect, test } from "vitest";
import { callRest, sql } from "../../world/platform.ts";
import { digestOf, newTarget, outcome, pushBlob, pushImage, putManifest, send } from "../client.ts";
import { eventsOf, repoOf } from "../stored_rows.ts";

describe("a deletion", () => {
  test("of a tag leaves the manifest, the history and other tags", async () => {
    const target = await newTarget();
    const { digest, text } = await pushImage(target, "latest");
    await putManifest(target, "stable", text);
    expect(await outcome(send(target, "manifests/latest", { method: "DELETE" }))).toEqual([202]);
    expect(await outcome(send(target, "manifests/latest"))).toEqual([404, "MANIFEST_UNKNOWN"]);
    expect((await send(target, `manifests/${digest}`)).status).toBe(200);
    expect((await send(target, "manifests/stable")).status).toBe(200);
    const history = await send(target, `_vendor/history/latest`);
    expect(((await history.json()) as { history: unknown[] }).history).toHaveLength(1);
    expect((await eventsOf(target)).at(-1)).toMatchObject({
      type: "dev.vendor.api.platform.registry.tag.deleted.v1",
      tag: "latest",
      previous: digest,
    });
  });

  test.for(["registry", "API"])(
    "of a manifest over the %s deletes its tags, with an event for each",
    async (over) => {
      const target = await newTarget();
      const { digest, text } = await pushImage(target, "one");
      await putManifest(target, "two", text);
      const repo = await repoOf(target);
      if (over === "registry") {
        expect(await outcome(send(target, `manifests/${digest}`, { method: "DELETE" }))).toEqual([
          202,
        ]);
      } else {
        const [{ uid }] = (await sql("select uid from manifests where parent = ?", repo)) as [
          { uid: string },
        ];
        const { token } = target.organization.owner;
        const { status } = await callRest(`/registry/v2/manifests/${uid}`, {
          method: "DELETE",
          token,
        });
        expect(status).toBe(200);
      }
      for (const reference of ["one", "two", digest]) {
        expect((await send(target, `manifests/${reference}`)).status).toBe(404);
      }
      expect(await sql("select uid from tags where parent = ?", repo)).toEqual([]);
      const types = (await eventsOf(target)).map(({ type }) =>
        type.replace(/^dev\.vendor\.api\.platform\.registry\./, ""),
      );
      expect(types.slice(-3)).toEqual(["manifest.deleted.v1", "tag.deleted.v1", "tag.deleted.v1"]);
      expect((await send(target, `manifests/${digest}`, { method: "DELETE" })).status).toBe(404);
    },
  );

  test("of a repository unlinks its blobs", async () => {
    const target = await newTarget();
    const { layer } = await pushImage(target, "latest");
    const repo = await repoOf(target);
    const { token } = target.organization.owner;
    await callRest(`/registry/v2/repos/${repo}`, { method: "DELETE", token });
    expect(await sql("select uid from repo_storage where uid = ?", repo)).toEqual([]);
    expect(
      await sql("select bytes from organization_storage where uid = ?", target.organization.uid),
    ).toEqual([{ bytes: 0 }]);
    await pushBlob(target, "new");
    expect(await outcome(send(target, `blobs/${digestOf(layer)}`))).toEqual([404, "BLOB_UNKNOWN"]);
  });
});
