/** The cards that need attention: credentials that expire, failed deliveries, and old tags in use. */
import { useQuery } from "@tanstack/preact-query";
import { Link } from "wouter-preact";
import type { Subscription } from "../../client/index.ts";
import { useClient } from "../data/platform.tsx";
import { useOrganizationUsage } from "../data/usage.ts";
import { Badge } from "../elements/badge.tsx";
import { formatBytes } from "../elements/bytes.ts";
import { Time } from "../elements/time.tsx";
import { addresses } from "../frame/addresses.ts";
import { Card, CardRow, CardRows } from "./card.tsx";
import { findExpiring } from "./expiring.ts";
import { moreWords } from "./moves_cards.tsx";

/** A card shows so many rows. */
const maxRows = 5;

export function ExpiringCard({ group }: { group: string }) {
  const client = useClient();
  const query = useQuery({
    queryKey: ["home", "expiring", group],
    queryFn: () => findExpiring(client, group),
    enabled: group !== "",
  });
  return (
    <Card
      title="Expires within 30 days"
      more={["Identities", addresses.identities(group, { expiring: "30" })]}
      query={query}
      capability="identity.list"
      empty={({ items, missing }) =>
        items.length === 0 &&
        (missing.length === 0
          ? "No key, SCIM token or invite expires soon."
          : `Nothing that you can see expires soon. To see all, you need ${missing.join(" and ")}.`)
      }
    >
      {({ items, missing }) => (
        <>
          <CardRows more={moreWords(items.length - maxRows)}>
            {items.slice(0, maxRows).map(({ what, name, address, time }) => (
              <CardRow
                key={`${what} ${name} ${time}`}
                subject={
                  <>
                    {what}{" "}
                    <Link href={address}>
                      <bdi>{name}</bdi>
                    </Link>
                  </>
                }
                note={Date.parse(time) < Date.now() && <Badge tone="bad">Expired</Badge>}
                end={<Time time={time} />}
              />
            ))}
          </CardRows>
          {missing.length > 0 && (
            <p class="home-more">To see all, you need {missing.join(" and ")}.</p>
          )}
        </>
      )}
    </Card>
  );
}

const isFailing = ({ disabled, failingSince }: Subscription) =>
  disabled || failingSince !== undefined;

export function DeliveriesCard({ group }: { group: string }) {
  const client = useClient();
  const query = useQuery({
    queryKey: ["home", "subscriptions", group],
    queryFn: async () => {
      const all = await client.subscriptions.list({ descendantsOf: group, pageSize: 200 }).all(400);
      return { count: all.length, failing: all.filter(isFailing) };
    },
    enabled: group !== "",
  });
  return (
    <Card
      title="Failed deliveries"
      more={["Failed deliveries", addresses.deliveries(group, { state: "failed" })]}
      query={query}
      capability="subscriptions.list"
      empty={({ count, failing }) =>
        failing.length === 0 &&
        (count === 0
          ? "There are no subscriptions."
          : `${count === 1 ? "The subscription works" : `All ${count} subscriptions work`}.`)
      }
    >
      {({ failing }) => (
        <CardRows more={moreWords(failing.length - maxRows)}>
          {failing.slice(0, maxRows).map(({ uid, sink, disabled, disableTime, failingSince }) => (
            <CardRow
              key={uid}
              subject={
                <Link href={addresses.subscription(uid)}>
                  <bdi title={sink}>{sink}</bdi>
                </Link>
              }
              note={<Badge tone={disabled ? "bad" : "warn"}>{disabled ? "Off" : "Failing"}</Badge>}
              end={<Time time={disabled ? disableTime : failingSince} />}
            />
          ))}
        </CardRows>
      )}
    </Card>
  );
}

const month = 30 * 86_400_000;

export function EndOfLifeCard({ group }: { group: string }) {
  const client = useClient();
  const query = useQuery({
    queryKey: ["home", "end of life", group],
    queryFn: () =>
      client.endOfLifeTags
        .list({
          descendantsOf: group,
          pageSize: 200,
          pulledSince: new Date(Date.now() - month).toISOString(),
        })
        .all(maxRows + 1),
    enabled: group !== "",
  });
  return (
    <Card
      title="End-of-life tags in use"
      more={["All end-of-life tags", addresses.endOfLife(group, { pulled: "30d" })]}
      query={query}
      capability="tag.list"
      empty={(tags) => tags.length === 0 && "No end-of-life tag was pulled in the last 30 days."}
    >
      {(tags) => (
        <CardRows more={tags.length > maxRows ? "and more" : undefined}>
          {tags.slice(0, maxRows).map(({ uid = "", repoName, tag, replacement, lastPullTime }) => (
            <CardRow
              key={uid}
              subject={
                <Link href={addresses.tag(uid)}>
                  <bdi>{repoName}</bdi>:<bdi>{tag}</bdi>
                </Link>
              }
              note={
                replacement && (
                  <>
                    use <bdi>{replacement.tag}</bdi>
                  </>
                )
              }
              end={<Time time={lastPullTime} />}
            />
          ))}
        </CardRows>
      )}
    </Card>
  );
}

export function StorageCard({ group }: { group: string }) {
  const query = useOrganizationUsage(group);
  return (
    <Card
      title="Storage"
      more={["Usage", addresses.usage(group)]}
      query={query}
      capability="repo.list"
      empty={() => false}
    >
      {({ bytes, reservedBytes, limitBytes }) => {
        const share =
          (Number(bytes) + Number(reservedBytes)) / Number(limitBytes ?? Number.POSITIVE_INFINITY);
        return (
          <>
            <p class="home-total">{formatBytes(bytes)}</p>
            {limitBytes === undefined ? (
              <p class="home-empty">There is no limit.</p>
            ) : (
              <p class={share >= 0.8 ? "home-near" : "home-empty"}>
                {Math.round(share * 100)} % of {formatBytes(limitBytes)}
              </p>
            )}
          </>
        );
      }}
    </Card>
  );
}
