/** The registry of a platform: its address and its token. */

import { PlatformError } from "../../client/errors.ts";
import { createClient, type HistoryRecord, type ResolvedTag } from "../../client/index.ts";
import { tokenSource } from "../account/client.ts";
import { type Account, defaultPlatformUrl, findAccount } from "../account/credentials.ts";
import { discoverPlatform } from "../account/exchange.ts";
import { noteWait } from "../account/rate_limit_waits.ts";
import { Failure, toFailure } from "../failure.ts";
import { here } from "../surroundings.ts";
import type { ImageReference } from "./image_reference.ts";
import type { ReadMoves } from "./tag_history.ts";

/** Reads histories from a registry. */
export type RegistryReader = {
  /** The host in front of the names of images: `registry.example.com`, `localhost:8787`. */
  host: string;
  /** Returns the moves of a tag. Throws Failures that name the next step. */
  movesOf(image: ImageReference): ReadMoves;
  /**
   * Asks what a pull of a tag gets now, which the registry records as a pull. Undefined if the registry has no image for
   * the tag, although it can have a history. Throws Failures that name the next step.
   */
  resolve(image: ImageReference): Promise<ResolvedTag | undefined>;
  /** The account in use. Undefined without a login. */
  account: Account | undefined;
};

/**
 * Returns the registry of the account in use. Without a login, it is the registry of PLATFORM_URL, without a token,
 * which allows only public images.
 */
export async function openRegistry(env: NodeJS.ProcessEnv = here().env): Promise<RegistryReader> {
  const { account, api, url, vendor, token } = await findRegistry(env);
  const client = createClient({
    url: api,
    registry: { url, token, vendor },
    onWait: noteWait,
  });
  const request = { url, isLoggedIn: account !== undefined };
  return {
    host: new URL(url).host,
    account,
    movesOf: (image) => (range) =>
      explainErrors(client.history(`${image.name}:${image.tag}`, range), image, request),
    async resolve(image) {
      try {
        return await client.resolve(`${image.name}:${image.tag}`);
      } catch (thrown) {
        if (isWithoutImage(thrown)) return undefined;
        throw registryFailure(thrown, image, request);
      }
    },
  };
}

/** Whether the registry has no image for a tag. It says the same with another text if a tag rule holds all back. */
const isWithoutImage = (thrown: unknown) =>
  thrown instanceof PlatformError &&
  thrown.reason === "MANIFEST_UNKNOWN" &&
  !/^the rule ".* holds .* back: /s.test(thrown.message);

/** Returns the registry of the account in use, or that of PLATFORM_URL without an account and a token. */
export async function findRegistry(env: NodeJS.ProcessEnv = here().env) {
  const account = await tryFindAccount(env);
  const addresses = account ?? (await discoverPlatform(await defaultPlatformUrl(env)));
  const { url: api, registryUrl: url, registryAudience, vendor } = addresses;
  const token = account && tokenSource(account, registryAudience);
  return { account, api, url, vendor, token };
}

async function tryFindAccount(env: NodeJS.ProcessEnv): Promise<Account | undefined> {
  try {
    return await findAccount(env);
  } catch (thrown) {
    if (thrown instanceof Failure && thrown.code === "NOT_LOGGED_IN") return undefined;
    throw thrown;
  }
}

/** The registry's address, and whether the user has logged in. */
type RegistryRequest = { url: string; isLoggedIn: boolean };

async function* explainErrors(
  moves: AsyncIterable<HistoryRecord>,
  image: ImageReference,
  request: RegistryRequest,
): AsyncGenerator<HistoryRecord> {
  try {
    yield* moves;
  } catch (thrown) {
    throw registryFailure(thrown, image, request);
  }
}

/** Returns the Failure for an error of the registry, with advice about the image. Rethrows bugs. */
export function registryFailure(
  thrown: unknown,
  image: Pick<ImageReference, "name">,
  request: RegistryRequest,
): Failure {
  const step = thrown instanceof PlatformError ? nextStep(thrown.reason, image, request) : "";
  const { exitCode, code, message, details } = toFailure(thrown, request.url);
  const sentence = `${message.charAt(0).toUpperCase()}${message.slice(1)}`;
  return new Failure(exitCode, code, step === "" ? sentence : `${sentence}\n${step}`, details);
}

/** Returns advice for an error of the registry, by its code (OCI distribution, "Error Codes"). */
function nextStep(
  code: string | undefined,
  { name }: Pick<ImageReference, "name">,
  { isLoggedIn }: RegistryRequest,
): string {
  const [namespace, ...path] = name.split("/");
  const login = "To log in, run: platformctl auth login --org NAME";
  switch (code) {
    case "NAME_UNKNOWN":
      return `To list the repositories that you can see there, run: platformctl list repos --group ${namespace}`;
    case "MANIFEST_UNKNOWN":
      return `To list its tags, run: platformctl list tags --repo ${path.join("/")} --group ${namespace}`;
    case "DENIED":
      return isLoggedIn ? "To see who you are and what you may do, run: platformctl whoami" : login;
    case "UNAUTHORIZED":
      return login;
    default:
      return "";
  }
}
