/** The moves of the last week, and the moves that can be a mistake. */
import { useQuery } from "@tanstack/preact-query";
import { useClient } from "../data/platform.tsx";
import { formatCount } from "../elements/bytes.ts";
import { MovedTag, MoveKindBadge, MoveWarnings } from "../elements/tag_moves.tsx";
import { Time } from "../elements/time.tsx";
import { addresses } from "../frame/addresses.ts";
import { Card, CardRow, CardRows } from "./card.tsx";
import {
  type DayCount,
  type NewestMoves,
  useDayCounts,
  useNewestMoves,
  weekStart,
} from "./week.ts";

/** A card shows so many rows. */
const maxRows = 6;

export function MovesCard({ group }: { group: string }) {
  const query = useNewestMoves(group);
  return (
    <Card
      title="Tags that moved in the last week"
      more={["All moves", addresses.moves(group, { period: "7d" })]}
      query={query}
      capability="tag.list"
      empty={({ moves }) => moves.length === 0 && "No tag moved in the last seven days."}
      wide
    >
      {(newest) => (
        <div class="home-moves">
          <Days group={group} newest={newest} />
          <CardRows>
            {newest.moves.slice(0, maxRows).map((move) => (
              <CardRow
                key={`${move.repoUid} ${move.tag} ${move.updateTime}`}
                subject={<MovedTag move={move} />}
                note={<MoveKindBadge kind={move.kind} />}
                end={<Time time={move.updateTime} />}
              />
            ))}
          </CardRows>
        </div>
      )}
    </Card>
  );
}

const dayName = new Intl.DateTimeFormat("en", { weekday: "short" });
const wholeDay = new Intl.DateTimeFormat("en", { weekday: "long", month: "long", day: "numeric" });

/** The moves of each day, as bars with numbers. */
function Days({ group, newest }: { group: string; newest: NewestMoves }) {
  const days = useDayCounts(group, newest);
  if (!days) return <div class="home-days" aria-hidden="true" />;
  const most = Math.max(1, ...days.map(({ moves }) => moves));
  return (
    <ol class="home-days" aria-label="Moves of each day">
      {days.map((day) => (
        <li key={day.start.getTime()} title={`${wordsOf(day)} on ${wholeDay.format(day.start)}`}>
          <span class="home-day-track" style={{ "--share": day.moves / most }}>
            <span class="home-day-count">
              {formatCount(day.moves)}
              {day.hasMore && "+"}
            </span>
            <span class="home-day-bar" aria-hidden="true" />
          </span>
          <span class="home-day-name">{dayName.format(day.start)}</span>
        </li>
      ))}
    </ol>
  );
}

const wordsOf = ({ moves, hasMore }: DayCount) =>
  `${formatCount(moves)} ${hasMore ? "or more " : ""}${moves === 1 ? "move" : "moves"}`;

export function AlarmsCard({ group }: { group: string }) {
  const client = useClient();
  const since = weekStart();
  const query = useQuery({
    queryKey: ["home", "alarms", group, since],
    queryFn: () =>
      client.tagHistory
        .listTagMoves({ descendantsOf: group, since, hasWarnings: true, pageSize: 50 })
        .page(),
    enabled: group !== "",
  });
  return (
    <Card
      title="Moves to check"
      more={["All warnings", addresses.moves(group, { period: "7d", warnings: "1" })]}
      query={query}
      capability="tag.list"
      empty={({ rows }) => rows.length === 0 && "No move of the last seven days has a warning."}
    >
      {({ rows, nextPageToken }) => (
        <CardRows more={moreWords(rows.length - maxRows, nextPageToken !== undefined)}>
          {rows.slice(0, maxRows).map((move) => (
            <CardRow
              key={`${move.repoUid} ${move.tag} ${move.updateTime}`}
              subject={<MovedTag move={move} />}
              note={<MoveWarnings move={move} />}
              end={<Time time={move.updateTime} />}
            />
          ))}
        </CardRows>
      )}
    </Card>
  );
}

/** How many rows a card leaves out. Undefined if it shows all. */
export const moreWords = (count: number, isOpen = false): string | undefined =>
  count > 0 ? `and ${formatCount(count)} ${isOpen ? "or more " : ""}more` : undefined;
