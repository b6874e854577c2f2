/** The files for Kubernetes, without a cluster: the protocol of the kubelet, and the program that keeps a secret fresh. */
import { spawn, spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { type Issuer, startIssuer } from "../auth/oidc_issuer.ts";
import { pushImage } from "../distribution/client.ts";
import { newVerified, registryToken } from "../distribution/stored_images.ts";
import { newIdentityWithMatchers } from "../issuer/exchange_call.ts";
import { createResource, type Organization } from "../world/personas.ts";
import { baseUrl, registryAudience } from "../world/platform.ts";
import { startHttpServer } from "./http_server.ts";

const folder = fileURLToPath(new URL("../../examples/kubernetes", import.meta.url));
const subject = "system:serviceaccount:default:registry-login";

let organization: Organization;
let issuer: Issuer;
let temp = "";
beforeAll(async () => {
  [organization, issuer] = await Promise.all([newVerified(), startIssuer()]);
  const claimMatch = { issuer: issuer.url, subject };
  await newIdentityWithMatchers(organization, { claimMatch }, "registry.pull");
  await createResource(`/registry/v2/repos/${organization.uid}`, organization.owner.token, {
    name: "hello",
  });
  const token = await registryToken(organization.owner.uid);
  const target = { origin: baseUrl(), name: `${organization.uid}/hello`, token };
  await pushImage(target, "latest");
  temp = await mkdtemp(join(tmpdir(), "kubernetes-"));
});
afterAll(async () => {
  await issuer?.close();
  await rm(temp, { recursive: true, force: true });
});

interface Ended {
  code: number | null;
  out: string;
  err: string;
}

/** Runs a program without the environment of the test. */
async function run(command: string, args: string[], input: string): Promise<Ended> {
  const child = spawn(command, args, { env: { PATH: process.env.PATH, REGISTRY: "registry" } });
  const ended: Ended = { code: null, out: "", err: "" };
  child.stdout.on("data", (part) => (ended.out += part));
  child.stderr.on("data", (part) => (ended.err += part));
  child.stdin.end(input);
  ended.code = await new Promise((resolve) => child.once("close", resolve));
  return ended;
}

const provide = (request: object) =>
  run("sh", [join(folder, "platform-credential-provider")], `${JSON.stringify(request)}\n`);

const requestOf = (more: object) => ({
  kind: "CredentialProviderRequest",
  apiVersion: "credentialprovider.kubelet.k8s.io/v1",
  image: "registry.example.com/acme.example/hello",
  ...more,
});

/** Asks for a token to pull the image, as a client with this user name and password. Returns the status. */
async function pullTokenStatus(user: string, password: string): Promise<number> {
  const scope = `repository:${organization.uid}/hello:pull`;
  const url = `${baseUrl()}/token?service=${registryAudience}&scope=${scope}`;
  const authorization = `Basic ${btoa(`${user}:${password}`)}`;
  const response = await fetch(url, { headers: { authorization } });
  const { token } = (await response.json()) as { token?: string };
  if (!token) return response.status;
  const manifest = `${baseUrl()}/v2/${organization.uid}/hello/manifests/latest`;
  return (await fetch(manifest, { headers: { authorization: `Bearer ${token}` } })).status;
}

test("the credential provider gives the kubelet a login that pulls", async () => {
  const serviceAccountToken = await issuer.sign(subject, { aud: registryAudience });
  // Nothing in an annotation can stand for another member.
  const serviceAccountAnnotations = { note: '","image":"other/a","serviceAccountToken":"b' };
  const { code, out, err } = await provide(
    requestOf({ serviceAccountToken, serviceAccountAnnotations }),
  );
  expect({ code, err }).toEqual({ code: 0, err: "" });
  const { auth, ...rest } = JSON.parse(out) as {
    auth: Record<string, { username: string; password: string }>;
  };
  expect(rest).toEqual({
    kind: "CredentialProviderResponse",
    apiVersion: "credentialprovider.kubelet.k8s.io/v1",
    cacheKeyType: "Registry",
    cacheDuration: "0s",
  });
  expect(Object.keys(auth)).toEqual(["registry.example.com"]);
  const { username = "", password = "" } = auth["registry.example.com"] ?? {};
  expect(await pullTokenStatus(username, password)).toBe(200);
});

test("without a token the credential provider fails, and says where to look", async () => {
  const { code, out, err } = await provide(requestOf({}));
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err).toContain("tokenAttributes");
});

const documents = async (file: string) =>
  parseAllDocuments(await readFile(join(folder, file), "utf8")).map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS() as { kind: string } & Record<string, unknown>;
  });

test("all files name the same host, which a user replaces once", async () => {
  for (const file of ["kubelet.yaml", "audience.yaml", "pull-secret.yaml"]) {
    await documents(file);
    const hosts = (await readFile(join(folder, file), "utf8")).match(/\bregistry(?:\.[a-z0-9]+)+/g);
    expect(new Set(hosts?.filter((host) => !host.includes("k8s.io")))).toEqual(
      new Set(["registry.example.com"]),
    );
  }
});

interface Pod {
  containers: { command: string[] }[];
  volumes: { projected: { sources: { serviceAccountToken: { audience: string } }[] } }[];
}

const hasCurl = spawnSync("curl", ["--version"]).status === 0;

test.skipIf(!hasCurl)(
  "the program writes a secret that pulls, and needs no more than its role",
  async () => {
    const all = await documents("pull-secret.yaml");
    const deployment = all.find(({ kind }) => kind === "Deployment") as unknown as {
      spec: { template: { spec: Pod } };
    };
    const { containers, volumes } = deployment.spec.template.spec;
    expect(volumes[0]?.projected.sources[0]?.serviceAccountToken.audience).toBe(
      "registry.example.com",
    );
    let patched: { method: string | undefined; path: string; body: string } | undefined;
    const api = await startHttpServer(async ({ method, url, headers, body }) => {
      expect(headers.authorization).toBe("Bearer own-token");
      expect(headers["content-type"]).toBe("application/apply-patch+yaml");
      patched = { method, path: `${url.pathname}${url.search}`, body: String(body) };
      return { status: 201, body: {} };
    });
    const own = join(temp, "own");
    await mkdir(own, { recursive: true });
    await writeFile(join(own, "token"), "own-token");
    await writeFile(join(own, "namespace"), "default");
    await writeFile(join(temp, "token"), await issuer.sign(subject, { aud: registryAudience }));
    const [shell = "", flags = "", script = ""] = containers[0]?.command ?? [];
    const here = script
      .replaceAll("/var/run/secrets/kubernetes.io/serviceaccount", own)
      .replaceAll("/var/run/registry", temp)
      .replaceAll("https://kubernetes.default.svc", api.url)
      .replace(/--cacert \S+/, "")
      .replace(/sleep \d+/, "exit");
    const ended = await run(shell, [flags, here], "");
    await api.close();
    expect(ended).toEqual({ code: 0, out: "", err: "" });
    expect(patched).toMatchObject({
      method: "PATCH",
      path: "/api/v1/namespaces/default/secrets/registry-login?fieldManager=registry-login&force=true",
    });
    const { type, data } = JSON.parse(patched?.body ?? "") as {
      type: string;
      data: Record<string, string>;
    };
    expect(type).toBe("kubernetes.io/dockerconfigjson");
    const { auths } = JSON.parse(atob(data[".dockerconfigjson"] ?? "")) as {
      auths: Record<string, { auth: string }>;
    };
    const [user = "", password = ""] = atob(auths.registry?.auth ?? "").split(":");
    expect(await pullTokenStatus(user, password)).toBe(200);
  },
);
