/** `platformctl subscriptions`, `deliveries` and `redeliver`: what was sent to a sink, and sending it again. */
import { type Command, InvalidArgumentError } from "commander";
import { usageFailure } from "../failure.ts";
import { endAfter, parseTime } from "../history/times.ts";
import { withoutControls } from "../resources/cells.ts";
import type { JsonObject } from "../resources/flags.ts";
import { optionNamed } from "../resources/options.ts";
import { openPlatform, type PlatformClient } from "../resources/platform.ts";
import { explainFailure } from "../resources/refusals.ts";
import { parseDuration } from "../resources/values.ts";
import {
  addJsonOption,
  countText,
  type JsonOption,
  parseUid,
  printAnswer,
  withExamples,
} from "./answer.ts";
import { addAlias } from "./verbs/aliases.ts";

const subscriptions = "platform.events.v2.SubscriptionsService";
const deliveries = "platform.events.v2.DeliveriesService";

/** Adds `subscriptions`, `deliveries` and `redeliver`. */
export function addSubscriptions(program: Command): void {
  const command = withExamples(
    program.command("subscriptions").description("Test a subscription, or replace its secret."),
    "platformctl subscriptions test $SUBSCRIPTION",
  );
  const add = (parent: Command, name: string, text: string) =>
    parent
      .command(name)
      .description(text)
      .argument("<subscription>", "Uid of the subscription.", parseUid);
  addJsonOption(
    add(command, "test", "Send a test event to the sink, and print what it responds."),
    "platformctl subscriptions test $SUBSCRIPTION",
  ).action(sendTest);
  addJsonOption(
    add(command, "rotate-secret", "Replace the secret. The new one is shown only once.").option(
      "--overlap <duration>",
      "How long the old secret signs too (default: 24h).",
      duration,
    ),
    "platformctl subscriptions rotate-secret $SUBSCRIPTION --overlap 1h",
  ).action(rotateSecret);
  addAlias(program, "deliveries");
  addJsonOption(
    add(program, "redeliver", "Send events to a subscription again.")
      .addOption(optionNamed("since"))
      .addOption(optionNamed("until"))
      .option("--delivery <uid>", "Send only the event of this delivery.", parseUid),
    "platformctl redeliver $SUBSCRIPTION --since 2h",
  ).action(redeliver);
}

function duration(text: string): number {
  const length = parseDuration(text);
  if (length !== undefined) return length;
  throw new InvalidArgumentError("It must be a duration such as 24h or 30m.");
}

/** Runs a command at the platform, and explains its errors. */
async function atPlatform<T>(work: (platform: PlatformClient) => Promise<T>): Promise<T> {
  const platform = await openPlatform();
  return explainFailure({ verb: "call", platform }, () => work(platform));
}

/** How long `test` waits for the first attempt, in milliseconds. A sink has 10 seconds to respond. */
const testTime = 15_000;

async function sendTest(uid: string, options: JsonOption): Promise<void> {
  const delivery = await atPlatform(async (platform) => {
    const { deliveryUid } = await platform.call(`${subscriptions}/TestSubscription`, { uid });
    for (const end = Date.now() + testTime; ; ) {
      // A List, because the delivery does not exist at first.
      const rows = await platform.rows(`${deliveries}/ListDeliveries`, { parent: uid }, 50);
      const delivery = rows.find((row) => row.uid === deliveryUid);
      if (attemptsOf(delivery).length > 0 || Date.now() > end)
        return delivery ?? { uid: deliveryUid };
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  });
  const [attempt] = attemptsOf(delivery);
  const outcome = attempt
    ? `The sink responded with ${attempt.status || "nothing"}${attempt.error ? `: ${attempt.error}` : ""} after ${attempt.latency}.`
    : "The test event was not sent yet. An earlier event may fail: see platformctl deliveries.";
  printAnswer(options, delivery, withoutControls(outcome));
}

const attemptsOf = (delivery: JsonObject | undefined): JsonObject[] =>
  (delivery?.attempts ?? []) as JsonObject[];

async function rotateSecret(
  uid: string,
  options: JsonOption & { overlap?: number },
): Promise<void> {
  const { overlap } = options;
  const rotated = await atPlatform((platform) =>
    platform.call(`${subscriptions}/RotateSubscriptionSecret`, {
      uid,
      ...(overlap === undefined ? {} : { overlap: `${overlap / 1000}s` }),
    }),
  );
  printAnswer(options, rotated, `Secret  ${withoutControls(String(rotated.secret))}`);
}

async function redeliver(
  uid: string,
  options: JsonOption & { since?: string; until?: string; delivery?: string },
): Promise<void> {
  const { since, until, delivery } = options;
  if ((since === undefined) === (delivery === undefined)) {
    throw usageFailure("Add either --since or --delivery.");
  }
  const now = new Date();
  const done = await atPlatform((platform) =>
    delivery !== undefined
      ? platform.call(`${deliveries}/RedeliverDelivery`, { uid: delivery })
      : platform.call(`${subscriptions}/RedeliverEvents`, {
          uid,
          since: parseTime(since ?? "", now).toISOString(),
          ...(until === undefined ? {} : { before: endAfter(until, now).toISOString() }),
        }),
  );
  const sent = delivery === undefined ? Number(done.eventCount ?? 0) : 1;
  printAnswer(options, done, `${countText(sent, "event")} will be sent again.`);
}
