/** The identities that still pull a tag at its end of life. */
import { Link } from "wouter-preact";
import type { EndOfLifeTag } from "../../client/index.ts";
import { addresses } from "../frame/addresses.ts";
import { formatCount } from "./bytes.ts";

/** The list counts more consumers than this as one more. */
const maxConsumers = 10;

const anonymous = "callers without a login";

/** The first consumer and how many more there are. Without the right to see identities, only their number. */
export function Consumers({ tag: { consumers = [], consumerCount = 0 } }: { tag: EndOfLifeTag }) {
  if (consumerCount === 0) return <span class="pale">no one in 90 days</span>;
  const isMany = consumerCount > maxConsumers;
  const [first] = consumers;
  if (!first) {
    const count = isMany ? `more than ${maxConsumers}` : formatCount(consumerCount);
    return <>{`${count} ${consumerCount === 1 ? "identity" : "identities"}`}</>;
  }
  const names = consumers.map(({ identityName, identityUid }) =>
    identityUid ? identityName || identityUid : anonymous,
  );
  const others = isMany ? `more than ${maxConsumers - 1}` : consumerCount - 1;
  return (
    <span title={names.join("\n")}>
      {first.identityUid ? (
        <Link href={addresses.identity(first.identityUid)}>
          <bdi>{names[0]}</bdi>
        </Link>
      ) : (
        anonymous
      )}
      {consumerCount > 1 && ` and ${others} more`}
    </span>
  );
}
