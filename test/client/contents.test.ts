/** The client reads the contents of images, and what refers to them, from the platform's registry. */
import { createClient, NotFound, PermissionDenied } from "platform-api/client";
import { beforeAll, describe, expect, test } from "vitest";
import {
  descriptorOf,
  type Image,
  manifestType,
  newImageOf,
  newTarget,
  pushImage,
  putManifest,
  type Target,
} from "../distribution/client.ts";
import { registryToken } from "../distribution/stored_images.ts";
import { newOrganization } from "../world/personas.ts";
import { baseUrl, registryAudience } from "../world/platform.ts";
import { jsonAnswer, startScriptedServer } from "./scripted_server.ts";

let target: Target;
let image: Image;
const referring: string[] = [];
beforeAll(async () => {
  target = await newTarget();
  image = await pushImage(target, "latest");
  const subject = descriptorOf(image.text, manifestType);
  for (let at = 0; at < 51; at += 1) {
    const artifactType = "application/vnd.example.note";
    const annotations = { at: String(at) };
    const note = newImageOf({ layer: image.layer, subject, artifactType, annotations });
    expect((await putManifest(target, note.digest, note.text)).status).toBe(201);
    referring.push(note.digest);
  }
});

const clientWith = (token: string, url = baseUrl()) =>
  createClient({ url, registry: { token: async () => token } });
const client = () => clientWith(target.token);
const pinned = () => `${target.name}@${image.digest}`;

describe("the contents", () => {
  test("are the manifest and the configuration, also by a name with the host", async () => {
    const expected = {
      ...{ digest: image.digest, mediaType: manifestType, size: image.text.length },
      ...{ manifest: JSON.parse(image.text), config: JSON.parse(image.config) },
    };
    expect(await client().contents(pinned())).toEqual(expected);
    const url = `http://${registryAudience}`;
    const withHost = createClient({
      ...{ url, registry: { token: async () => target.token } },
      fetch: (input, init) => fetch(String(input).replace(url, baseUrl()), init),
    });
    expect(await withHost.contents(`${registryAudience}/${pinned()}`)).toEqual(expected);
  });

  test("reject in the same way as any call", async () => {
    const missing = pinned().replace(/.{4}$/, "0000");
    await expect(client().contents(missing)).rejects.toThrow(NotFound);
    const stranger = await registryToken((await newOrganization()).owner.uid);
    await expect(clientWith(stranger).contents(pinned())).rejects.toThrow(PermissionDenied);
  });

  test.each(["a/b", "a/b:latest", "a@sha256:00", "../b@sha256:00", "a/b@sha256:0/../x"])(
    "reject the name %s without a request",
    async (name) => {
      await expect(client().contents(name)).rejects.toThrow(TypeError);
      expect(() => client().referrers(name)).toThrow(TypeError);
    },
  );
});

describe("the referrers", () => {
  test("are read over several responses, each once", async () => {
    const found: string[] = [];
    for await (const { digest, artifactType, annotations } of client().referrers(pinned())) {
      expect(artifactType).toBe("application/vnd.example.note");
      expect(annotations).toEqual({ at: String(found.length) });
      found.push(digest);
    }
    expect(found).toEqual(referring);
  });

  test("are not requested from another host", async () => {
    const link = { link: '<https://elsewhere.example/v2/>; rel="next"' };
    await using server = await startScriptedServer(jsonAnswer(200, { manifests: [] }, link));
    const read = async () => {
      for await (const _ of clientWith("token", server.url).referrers(pinned())) break;
    };
    await expect(read()).rejects.toThrow("another host");
    expect(server.received).toHaveLength(1);
  });
});
