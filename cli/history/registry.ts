/** The registry of a platform: its address, and who asks it. */

import { PlatformError } from "../../client/errors.ts";
import { createClient, type HistoryRecord } from "../../client/index.ts";
import { tokenSource } from "../account/client.ts";
import { type Account, defaultPlatformUrl, findAccount } from "../account/credentials.ts";
import { discoverPlatform } from "../account/exchange.ts";
import { Failure, toFailure } from "../failure.ts";
import type { ImageReference } from "./image_reference.ts";
import type { ReadMoves } from "./tag_history.ts";

/** Where histories are read. */
export type RegistryReader = {
  /** As it stands before the names of images: `registry.example.com`, `localhost:8787`. */
  host: string;
  /** The moves of a tag. Throws Failures that name the next step. */
  movesOf(image: ImageReference): ReadMoves;
};

/**
 * The registry of the account in use. Without a login that of PLATFORM_URL, asked as anybody may:
 * for its public images.
 */
export async function openRegistry(env: NodeJS.ProcessEnv = process.env): Promise<RegistryReader> {
  const account = await tryFindAccount(env);
  const addresses = account ?? (await discoverPlatform(await defaultPlatformUrl(env)));
  const { url: api, registryUrl: url, registryAudience, vendor } = addresses;
  const token = account && tokenSource(account, registryAudience);
  const client = createClient({ url: api, registry: { url, token, vendor } });
  return {
    host: new URL(url).host,
    movesOf: (image) => (range) =>
      explainErrors(client.history(`${image.name}:${image.tag}`, range), image, {
        url,
        isLoggedIn: account !== undefined,
      }),
  };
}

async function tryFindAccount(env: NodeJS.ProcessEnv): Promise<Account | undefined> {
  try {
    return await findAccount(env);
  } catch (thrown) {
    if (thrown instanceof Failure && thrown.code === "NOT_LOGGED_IN") return undefined;
    throw thrown;
  }
}

type RegistryRequest = { url: string; isLoggedIn: boolean };

async function* explainErrors(
  moves: AsyncIterable<HistoryRecord>,
  image: ImageReference,
  request: RegistryRequest,
): AsyncGenerator<HistoryRecord> {
  try {
    yield* moves;
  } catch (thrown) {
    const step = thrown instanceof PlatformError ? nextStep(thrown.reason, image, request) : "";
    const { exitCode, code, message, details } = toFailure(thrown, request.url);
    const sentence = `${message.charAt(0).toUpperCase()}${message.slice(1)}`;
    throw new Failure(exitCode, code, step === "" ? sentence : `${sentence}\n${step}`, details);
  }
}

/** What to do about a refusal of the registry, by its code (OCI distribution, "Error Codes"). */
function nextStep(
  code: string | undefined,
  { name }: ImageReference,
  { isLoggedIn }: RegistryRequest,
): string {
  const [namespace, ...path] = name.split("/");
  const login = "To log in: platformctl auth login --org NAME";
  switch (code) {
    case "NAME_UNKNOWN":
      return `Repos that you see there: platformctl list repos --group ${namespace}`;
    case "MANIFEST_UNKNOWN":
      return `Its tags: platformctl list tags --repo ${path.join("/")} --group ${namespace}`;
    case "DENIED":
      return isLoggedIn ? "Who you are and what you may do: platformctl whoami" : login;
    case "UNAUTHORIZED":
      return login;
    default:
      return "";
  }
}
