/** Pushes and pulls at the registry host. Each request finds what the ones before it have pushed. */
import { createHash } from "node:crypto";
import type { CostCase } from "./case.ts";
import { organizationOf } from "./rows.ts";
import { storedDigest, uploadId } from "./stored_content.ts";

const organization = organizationOf("5");
const base = "/v2/asked.example/named-1/repo-7";

const digestOf = (text: string) => `sha256:${createHash("sha256").update(text).digest("hex")}`;
const descriptorOf = (text: string, mediaType: string) => ({
  mediaType,
  digest: digestOf(text),
  size: text.length,
});

const type = "application/vnd.oci.image.manifest.v1+json";
const indexType = "application/vnd.oci.image.index.v1+json";
const layer = "the bytes of a layer";
const rootfs = { type: "layers", diff_ids: [digestOf(layer)] };
const config = JSON.stringify({ architecture: "amd64", os: "linux", rootfs });
const manifest = JSON.stringify({
  schemaVersion: 2,
  mediaType: type,
  config: descriptorOf(config, "application/vnd.oci.image.config.v1+json"),
  layers: [descriptorOf(layer, "application/vnd.oci.image.layer.v1.tar")],
});

const request = (
  name: string,
  kind: CostCase["kind"],
  method: string,
  path: string,
  body?: string,
): CostCase => ({
  ...{ name: `registry ${method} ${name}`, kind, method, path: base + path, who: "registry" },
  ...(body === undefined ? {} : { body }),
});

const checksTwice = "push that checks access twice";
const reserves = "push that reserves its bytes";
const uploads = "/blobs/uploads";
const upload = (at: number, text: string) =>
  `${uploads}/${uploadId(organization, at)}?digest=${digestOf(text)}`;
const putManifest = (name: string): CostCase => ({
  ...request(name, checksTwice, "PUT", "/manifests/pushed", manifest),
  contentType: type,
});
/** An index without images, so that it needs no blobs. */
const emptyIndex = {
  ...request("manifest with ten rules", checksTwice, "PUT", ""),
  path: "/v2/asked.example/named-1/named-2/repo-2/manifests/pushed",
  body: JSON.stringify({ schemaVersion: 2, mediaType: indexType, manifests: [] }),
  contentType: indexType,
};
const mounted = storedDigest(organization, 1);
const from = encodeURIComponent(base.slice("/v2/".length));

export const contentCases: CostCase[] = [
  request("upload", "write", "POST", `${uploads}/`),
  request("bytes of a layer", reserves, "PUT", upload(1, layer), layer),
  request("bytes of a configuration", reserves, "PUT", upload(2, config), config),
  request("mount", checksTwice, "POST", `${uploads}/?mount=${mounted}&from=${from}`),
  putManifest("manifest with a new tag"),
  putManifest("manifest, the same again"),
  emptyIndex,
  request("manifest by its tag", "first pull of a day", "HEAD", "/manifests/pushed"),
  request("manifest by its tag", "pull", "GET", "/manifests/pushed"),
  request("manifest by its digest", "pull", "HEAD", `/manifests/${digestOf(manifest)}`),
  request("manifest by its digest", "pull", "GET", `/manifests/${digestOf(manifest)}`),
  request("contents", "contents of an image", "GET", `/_vendor/images/${digestOf(manifest)}`),
  request("blob", "Get", "HEAD", `/blobs/${digestOf(layer)}`),
  request("blob", "Get", "GET", `/blobs/${digestOf(layer)}`),
  request(
    "blob that no manifest needs",
    "write",
    "HEAD",
    `/blobs/${storedDigest(organization, 2)}`,
  ),
  request("tags", "Get", "GET", "/tags/list"),
  request("referrers", "Get", "GET", `/referrers/${digestOf(manifest)}`),
];
