/** Updates the digests of base images: asks the platform where each tag points, and opens one pull request. */
import { appendFileSync } from "node:fs";
import { createClient, exchangedToken, type TokenSource } from "platform-api/client";
import { type BaseImage, baseImages, isDockerfile, withDigests } from "./dockerfile.ts";
import { type ChangedFile, GithubRepository, type TreeEntry } from "./github.ts";

const setting = (name: string, otherwise?: string): string => {
  const value = process.env[name] || otherwise;
  if (value === undefined) throw new Error(`set ${name}`);
  return value;
};

const platformUrl = setting("PLATFORM_URL");
const issuer = setting("ISSUER_URL", platformUrl);
const registryUrl = setting("REGISTRY_URL", platformUrl);
const registryHost = setting("REGISTRY_HOST", new URL(registryUrl).host);
const identity = setting("IDENTITY", "");
const branch = setting("BRANCH", "update-base-images");
const github = new GithubRepository({
  url: setting("GITHUB_API_URL"),
  repository: setting("GITHUB_REPOSITORY"),
  token: setting("GITHUB_TOKEN"),
});

/** The token of the workflow for the platform's issuer. It needs `permissions: id-token: write`. */
const workflowToken: TokenSource = async ({ signal }) => {
  const url = new URL(setting("ACTIONS_ID_TOKEN_REQUEST_URL"));
  url.searchParams.set("audience", issuer);
  const authorization = `Bearer ${setting("ACTIONS_ID_TOKEN_REQUEST_TOKEN")}`;
  const response = await fetch(url, { headers: { authorization }, signal: signal ?? null });
  if (!response.ok) throw new Error(`GitHub responded with ${response.status} instead of a token`);
  return ((await response.json()) as { value: string }).value;
};

const audience = setting("REGISTRY_AUDIENCE", registryHost);
const token = identity
  ? exchangedToken({ issuer, source: workflowToken, identity, audience })
  : undefined;
const client = createClient({
  url: platformUrl,
  vendor: setting("VENDOR", "vendor"),
  registry: { url: registryUrl, token },
});

/** Returns the digest that the tag of an image points to now. */
async function currentDigest(reference: string): Promise<string> {
  const image = reference.slice(registryHost.length + 1);
  for await (const { digest } of client.history(image, { reverse: true })) return digest;
  throw new Error(`the tag ${reference} has never pointed to an image`);
}

interface Dockerfile {
  entry: TreeEntry;
  text: string;
  images: BaseImage[];
}

async function readDockerfiles(tree: string): Promise<Dockerfile[]> {
  const entries = (await github.files(tree)).filter(({ path }) => isDockerfile(path));
  const found: Dockerfile[] = [];
  for (const entry of entries) {
    const text = await github.text(entry.sha);
    if (text === undefined) continue;
    found.push({ entry, text, images: baseImages(text, registryHost) });
  }
  return found;
}

async function update(): Promise<number | undefined> {
  const base = await github.base();
  const dockerfiles = await readDockerfiles(base.tree);
  const references = new Set(
    dockerfiles.flatMap(({ images }) => images.map((one) => one.reference)),
  );
  const digests = new Map<string, string>();
  for (const reference of [...references].sort()) {
    digests.set(reference, await currentDigest(reference));
  }
  const files = dockerfiles.flatMap(({ entry: { path, mode }, text }): ChangedFile[] => {
    const content = withDigests(text, digests);
    return content === text ? [] : [{ path, mode, content }];
  });
  if (files.length === 0) return undefined;
  const title = "Update base images";
  const body = describe(dockerfiles, digests);
  await github.writeBranch(branch, base, files, `${title}\n\n${body}`);
  return github.openPullRequest(branch, base.branch, { title, body });
}

/** Returns the text of the pull request: one line for each image that moved. */
function describe(dockerfiles: Dockerfile[], digests: ReadonlyMap<string, string>): string {
  const lines = dockerfiles.flatMap(({ entry, images }) =>
    images
      .filter(({ reference, digest }) => digests.get(reference) !== digest)
      .map(({ reference, digest }) => {
        const now = digests.get(reference) ?? "";
        return `- \`${entry.path}\`: \`${reference}\` moved from \`${digest}\` to \`${now}\``;
      }),
  );
  return ["These tags point to newer images:", "", ...new Set(lines)].join("\n");
}

const number = await update();
console.log(number === undefined ? "Every base image is up to date." : `Pull request ${number}`);
const output = process.env.GITHUB_OUTPUT;
if (output) appendFileSync(output, `pull-request=${number ?? ""}\n`);
