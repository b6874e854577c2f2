/** Receives the events of tags, and copies each image whose tag has moved to another registry. */
import { createServer } from "node:http";
import { createClient } from "platform-api/client";
import { commandToken, nodeListener } from "platform-api/client/node";
import { type EventOf, WebhookError, webhookHandler } from "platform-api/client/webhooks";
import { copyImage } from "./copy_image.ts";
import { type RegistryOptions, Repository } from "./registry.ts";

type TagMove = EventOf<
  "api.platform.registry.tag.created.v1" | "api.platform.registry.tag.updated.v1"
>;

const setting = (name: string): string => {
  const value = process.env[name];
  if (!value) throw new Error(`set ${name}`);
  return value;
};

const registryOf = (name: string): RegistryOptions => ({
  url: setting(`${name}_URL`),
  username: process.env[`${name}_USERNAME`],
  password: process.env[`${name}_PASSWORD`],
});

const source = registryOf("SOURCE");
const target = registryOf("TARGET");
/** The part before the name of the repository, in both registries. */
const sourceNamespace = setting("SOURCE_NAMESPACE");
const targetNamespace = setting("TARGET_NAMESPACE");
/** How long a delivery waits for its copy. The platform waits for ten seconds. */
const patienceMs = Number(process.env.PATIENCE_SECONDS ?? 8) * 1000;
const client = createClient({
  url: setting("PLATFORM_URL"),
  token: commandToken(["platformctl", "auth", "token"]),
});

/** The copies that are running, by tag and digest. A second delivery of an event joins the copy of the first. */
const running = new Map<string, Promise<void>>();

async function mirror({ subject, body: { name = "", digest } }: TagMove): Promise<void> {
  if (!digest) return;
  const key = `${subject} ${digest}`;
  const copy = running.get(key) ?? startCopy(subject, name, digest);
  running.set(key, copy);
  copy.catch(() => undefined).finally(() => running.delete(key));
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    // The copy continues. The platform delivers again later, and does not send the next move of this tag before that.
    timer = setTimeout(() => reject(new Error(`${name} is still being copied`)), patienceMs);
  });
  await Promise.race([copy, late]).finally(() => clearTimeout(timer));
}

/** The stack of a refused delivery would say nothing. That of another error has the cause. */
function report(error: unknown): void {
  console.error(error instanceof WebhookError ? `${error.reason}: ${error.message}` : error);
}

async function startCopy(tagUid: string, tag: string, digest: string): Promise<void> {
  const repo = await client.repos.get(tagUid.slice(0, tagUid.lastIndexOf("/")));
  const from = new Repository(source, `${sourceNamespace}/${repo.name}`, "pull");
  const to = new Repository(target, `${targetNamespace}/${repo.name}`, "pull,push");
  await copyImage(from, to, digest, tag);
  console.log(`copied ${repo.name}:${tag}@${digest}`);
}

const handler = webhookHandler(
  { secret: setting("WEBHOOK_SECRET"), onError: report },
  {
    "api.platform.registry.tag.created.v1": mirror,
    "api.platform.registry.tag.updated.v1": mirror,
  },
);
const server = createServer(nodeListener(handler));
server.listen(Number(process.env.PORT ?? 8080), () => {
  const address = server.address();
  console.log(`listening on port ${typeof address === "object" ? address?.port : address}`);
});
