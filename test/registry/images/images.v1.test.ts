import { beforeAll, describe, expect, test } from "vitest";
import { pushImage } from "../../distribution/client.ts";
import { registryToken } from "../../distribution/stored_images.ts";
import { repoOf } from "../../distribution/stored_rows.ts";
import {
  fakeDigest,
  newOrganization,
  type Organization,
  randomName,
} from "../../world/personas.ts";
import { callRest, costOf } from "../../world/platform.ts";
import { manifestType, newRepoIn, putIndex, putManifest, sha256Of } from "./stored_images.ts";

let organization: Organization;
let repo: string;
beforeAll(async () => {
  organization = await newOrganization();
  repo = await newRepoIn(organization);
});

const get = (digest: string, what: string, at = repo, token = organization.owner.token) =>
  callRest(`/registry/v1/repos/${at}/digests/${digest}/${what}`, { token });

const run = {
  User: "65532:65532",
  ExposedPorts: { "8080/tcp": {}, "53/udp": {} },
  Env: ["PATH=/usr/bin", "EMPTY="],
  Entrypoint: ["/usr/bin/python3", "-u"],
  Cmd: ["app.py"],
  Volumes: { "/data": {} },
  WorkingDir: "/work",
  Labels: { "org.opencontainers.image.title": "python", empty: "" },
  StopSignal: "SIGINT",
};

const configOf = (architecture: string, config: object | null = run, more: object = {}) =>
  JSON.stringify({ architecture, os: "linux", config, rootfs: { type: "layers" }, ...more });

const expected = {
  user: "65532:65532",
  exposedPorts: { "8080/tcp": {}, "53/udp": {} },
  env: ["PATH=/usr/bin", "EMPTY="],
  entrypoint: ["/usr/bin/python3", "-u"],
  cmd: ["app.py"],
  volumes: { "/data": {} },
  workingDir: "/work",
  labels: { "org.opencontainers.image.title": "python", empty: "" },
  stopSignal: "SIGINT",
};

describe("the configuration of an image", () => {
  test("has every field", async () => {
    const digest = await putManifest(organization, repo, configOf("amd64"));
    const { status, body, headers } = await get(digest, "imageconfig");
    expect([status, body]).toEqual([200, expected]);
    expect(costOf({ headers }).roundTrips).toBe(1);
  });

  test("the configuration of an index is that of the architecture, amd64 by default", async () => {
    const user = (architecture: string, variant?: string) =>
      putManifest(organization, repo, configOf(architecture, { User: architecture }, { variant }));
    const index = await putIndex(organization, repo, [
      ["arm64", await user("arm64")],
      ["amd64", await user("amd64")],
      ["arm/v7", await user("arm", "v7")],
      ["s390x", fakeDigest("not stored")],
    ]);
    const of = async (query: string) => (await get(index, `imageconfig${query}`)).body;
    expect(await of("")).toEqual({ user: "amd64" });
    expect(await of("?arch=amd64")).toEqual({ user: "amd64" });
    expect(await of("?arch=arm64")).toEqual({ user: "arm64" });
    expect(await of("?arch=arm%2Fv7")).toEqual({ user: "arm" });
    expect(await of("?arch=s390x")).toEqual({});
    expect(await of("?arch=riscv64")).toEqual({});
  });

  test("of a single image is not returned for another architecture", async () => {
    const digest = await putManifest(organization, repo, configOf("arm", run, { variant: "v7" }));
    expect((await get(digest, "imageconfig?arch=arm%2Fv7")).body).toEqual(expected);
    expect((await get(digest, "imageconfig?arch=arm64")).body).toEqual({});
  });

  test("is empty if the manifest names none, if it is not stored, or if the image does not exist", async () => {
    const silent = [null, {}, { Env: null, Labels: null, Volumes: null, User: null }];
    for (const config of silent) {
      const digest = await putManifest(organization, repo, configOf("amd64", config));
      expect(await get(digest, "imageconfig")).toMatchObject({ status: 200, body: {} });
    }
    const without = await putManifest(organization, repo);
    const nowhere = `${organization.uid}/${"0".repeat(16)}`;
    for (const answer of [
      await get(without, "imageconfig"),
      await get(fakeDigest("nothing"), "imageconfig"),
      await get(without, "imageconfig", nowhere),
      await get(without, "imageconfig", await newRepoIn(organization)),
    ]) {
      expect([answer.status, answer.body]).toEqual([200, {}]);
    }
  });

  test("with registry=true is that of a pushed image, and empty for an imported one", async () => {
    const digest = await putManifest(organization, repo, configOf("amd64"));
    const { status, body } = await get(digest, "imageconfig?registry=true");
    expect([status, body]).toEqual([200, {}]);
    expect((await get(digest, "imageconfig?registry=false")).body).toEqual(expected);
    const token = await registryToken(organization.owner.uid);
    const target = { token, name: `${organization.uid}/${randomName("pushed")}` };
    const pushed = await pushImage(target, "latest");
    const uid = await repoOf(target);
    expect((await get(pushed.digest, "imageconfig?registry=true", uid)).body).toMatchObject({
      user: "nonroot",
    });
  });
});

describe("a configuration that is sent with its manifest", () => {
  const send = (config: string, named: object = { digest: sha256Of(config) }, more: object = {}) =>
    callRest(`/registry/v2/manifests/${repo}`, {
      token: organization.owner.token,
      body: {
        mediaType: manifestType,
        content: btoa(JSON.stringify({ config: { size: 1, ...named }, layers: [] })),
        config: Buffer.from(config).toString("base64"),
        ...more,
      },
    });

  test("a configuration sets the architecture of the manifest, which has its size", async () => {
    const { body } = await send(configOf("arm", {}, { variant: "v6" }));
    expect(body.architectures).toEqual(["arm/v6"]);
    expect((await get(body.digest, "size")).body).toEqual({ size: "1", arch: "arm/v6" });
    expect((await get(body.digest, "size?arch=amd64")).body).toEqual({ size: "0" });
  });

  test("a configuration can be added later, once, with an event, and again changes nothing", async () => {
    const config = configOf("amd64", { User: "later" });
    const first = await send("", { digest: sha256Of(config) });
    expect(first.body.architectures).toBeUndefined();
    const second = await send(config);
    expect(second.body).toMatchObject({
      uid: first.body.uid,
      createTime: first.body.createTime,
      architectures: ["amd64"],
    });
    expect(second.body.updateTime > first.body.updateTime).toBe(true);
    expect((await send(config)).body).toEqual(second.body);
    expect((await send("", { digest: sha256Of(config) })).body).toEqual(second.body);
    expect((await get(second.body.digest, "imageconfig")).body).toEqual({ user: "later" });
  });

  const other = { digest: fakeDigest("other") };
  const otherDigest = /config must have the digest that the content names/;
  const empty = { mediaType: "application/vnd.oci.empty.v1+json", digest: sha256Of("{}") };
  test.each<[string, string, RegExp, object?]>([
    ["of other bytes", configOf("amd64"), otherDigest, other],
    ["that the manifest names by no digest", configOf("amd64"), otherDigest, {}],
    ["without an architecture", "{}", /config: architecture is required/],
    ["that is not JSON", "nope", /config: the document is not JSON/],
    ["that is a list", "[]", /config: the document must be a JSON object/],
    ["with a list as config", configOf("a", []), /config: config must be a JSON object/],
    ["with one text as Env", configOf("a", { Env: "x" }), /config\.Env must be a list/],
    ["with a number in Cmd", configOf("a", { Cmd: ["x", 1] }), /Cmd\[1\] must be a string/],
    ["with a number as User", configOf("a", { User: 0 }), /User must be a string/],
    ["with a list of ports", configOf("a", { ExposedPorts: [] }), /ExposedPorts must be a JSON/],
    ["with a number as label", configOf("a", { Labels: { l: 1 } }), /Labels\["l"\] must be a str/],
    [
      "of something that is not an image",
      "{}",
      /one of the types application.*oci\.image\.config/,
      empty,
    ],
  ])("a configuration that %s is rejected", async (_, config, message, named) => {
    const { status, body } = await send(config, named);
    expect([status, body.details[1].fieldViolations[0].field]).toEqual([400, "config"]);
    expect(body.message).toMatch(message);
  });

  test("is rejected together with an index", async () => {
    const { status, body } = await send(configOf("a"), undefined, {
      mediaType: "application/vnd.oci.image.index.v1+json",
      content: btoa(JSON.stringify({ manifests: [] })),
    });
    expect([status, body.details[1].fieldViolations[0].field]).toEqual([400, "config"]);
  });
});

describe("architectures and size", () => {
  test("of an unknown image are empty", async () => {
    const index = await putIndex(organization, repo, [["arm64", fakeDigest("not stored")]]);
    expect(await get(fakeDigest("none"), "architectures")).toMatchObject({ status: 200, body: {} });
    for (const answer of [
      await get(fakeDigest("none"), "size"),
      await get(index, "size"),
      await get(index, "size?arch=arm64"),
    ]) {
      expect([answer.status, answer.body]).toEqual([200, { size: "0" }]);
    }
  });
});

test("a request without an image is rejected with the names of version 1", async () => {
  const refused = async (digest: string, what: string) => {
    const { status, body } = await get(digest, what);
    return [status, body.details[1].fieldViolations[0].field];
  };
  for (const what of ["architectures", "size", "imageconfig"]) {
    expect(await refused("latest", what)).toEqual([400, "digest"]);
  }
  for (const what of ["size", "imageconfig"]) {
    const long = `${what}?arch=${"x".repeat(65)}`;
    expect(await refused(fakeDigest("none"), long)).toEqual([400, "arch"]);
  }
});
