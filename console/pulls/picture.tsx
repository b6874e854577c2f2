/** The pulls as bars, and the same as text. */
import { formatCount } from "../elements/bytes.ts";
import { relativeTime } from "../elements/time.tsx";
import { Actor, ActorName } from "../events/names.tsx";
import type { CountedPulls, PullBar, PullUnit } from "./count_pulls.ts";

/** Identities with a color of their own. The others share one. */
const maxColors = 5;

const format = (options: Intl.DateTimeFormatOptions) => {
  const formatter = new Intl.DateTimeFormat("en", { hourCycle: "h23", ...options });
  return (time: number) => formatter.format(time);
};
const day = format({ day: "numeric", month: "short" });
const hour = format({ day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });

const pullWords = (count: number) => `${formatCount(count)} ${count === 1 ? "pull" : "pulls"}`;

interface PictureProps {
  pulls: CountedPulls;
  unit: PullUnit;
  organization: string;
}

/** `pulls` has at least one pull. */
export function PullPicture({ pulls, unit, organization }: PictureProps) {
  const { bars, pullers, count } = pulls;
  const nameOf = unit === "hour" ? hour : day;
  const most = bars.reduce((a, b) => (b.count > a.count ? b : a));
  const colors = new Map(pullers.slice(0, maxColors).map(({ uid }, index) => [uid, index + 1]));
  const summary = `${pullWords(count)} by ${formatCount(pullers.length)} ${pullers.length === 1 ? "identity" : "identities"}. The most in one ${unit}: ${formatCount(most.count)}, ${nameOf(most.from)}.`;
  return (
    <>
      <div class="pulls-bars" role="img" aria-label={summary}>
        {bars.map((bar) => (
          <Bar
            key={bar.from}
            bar={bar}
            most={most.count}
            title={nameOf(bar.from)}
            colors={colors}
          />
        ))}
      </div>
      <p class="pulls-axis pale" aria-hidden="true">
        <span>{nameOf(bars[0]?.from ?? 0)}</span>
        <span>{nameOf(bars.at(-1)?.from ?? 0)}</span>
      </p>
      <Pullers pulls={pulls} organization={organization} colors={colors} />
      <details>
        <summary>The picture as text</summary>
        <p>{summary}</p>
        <ul>
          {bars.map((bar) => (
            <BarText key={bar.from} bar={bar} name={nameOf(bar.from)} organization={organization} />
          ))}
        </ul>
      </details>
    </>
  );
}

interface BarProps {
  bar: PullBar;
  /** The count of the highest bar. */
  most: number;
  title: string;
  colors: ReadonlyMap<string, number>;
}

function Bar({ bar: { pulls, count }, most, title, colors }: BarProps) {
  return (
    <span class="pulls-bar" title={`${title}: ${pullWords(count)}`}>
      {[...pulls].map(([uid, part]) => (
        <span
          key={uid}
          class={`pulls-${colors.get(uid) ?? maxColors + 1}`}
          style={{ height: `${(part / most) * 100}%` }}
        />
      ))}
    </span>
  );
}

/** Everyone who pulled, with their color. */
function Pullers({
  pulls: { pullers },
  organization,
  colors,
}: {
  pulls: CountedPulls;
  organization: string;
  colors: ReadonlyMap<string, number>;
}) {
  return (
    <ul class="pulls-who" aria-label="Identities that pulled">
      {pullers.map(({ uid, count, last }) => (
        <li key={uid}>
          <span
            class={`pulls-color pulls-${colors.get(uid) ?? maxColors + 1}`}
            aria-hidden="true"
          />
          <Actor uid={uid} organization={organization} />{" "}
          <span class="pale">
            {pullWords(count)}, the last one {relativeTime(last, Date.now())}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** An hour or a day without pulls has no line. */
function BarText({
  bar: { pulls, count },
  name,
  organization,
}: {
  bar: PullBar;
  name: string;
  organization: string;
}) {
  if (count === 0) return null;
  return (
    <li>
      {name}: {pullWords(count)} (
      {[...pulls].map(([uid, part], index) => (
        <span key={uid}>
          {index > 0 && ", "}
          <ActorName uid={uid} organization={organization} /> {formatCount(part)}
        </span>
      ))}
      )
    </li>
  );
}
