/** How near a number is to its limit, as a bar. */

/** From these shares of a limit on, a person should act. */
const nearShare = 0.8;
const fullShare = 0.95;

interface MeterProps {
  /** The name of the quantity, for screen readers. */
  label: string;
  value: number;
  limit: number;
  /** The value and the limit in words, such as `1.2 GiB of 5 GiB`. */
  text: string;
}

/** A bar that is full at the limit. Its color changes when the limit is near, and the text says so too. */
export function Meter({ label, value, limit, text }: MeterProps) {
  const share = limit === 0 ? 1 : Math.min(1, value / limit);
  const level = share >= fullShare ? "full" : share >= nearShare ? "near" : "";
  return (
    <div class="usage-meter">
      <meter
        class="usage-track"
        aria-label={label}
        aria-valuetext={text}
        value={share}
        low={nearShare}
        high={fullShare}
        optimum={0}
      />
      <span>
        {text} <span class="pale">({Math.round(share * 100)} %)</span>
        {level !== "" && (
          <strong class={`usage-${level}`}>
            {share >= 1 ? " The limit is reached." : " The limit is near."}
          </strong>
        )}
      </span>
    </div>
  );
}

/** A bar in a table, whose length is a share of the longest one. The number next to it says the same. */
export function ShareBar({ share, series = 1 }: { share: number; series?: 1 | 2 }) {
  return (
    <span class="usage-share" aria-hidden="true">
      <span
        class={`usage-series-${series}`}
        style={{ width: `${Math.max(0.5, Math.min(100, share * 100))}%` }}
      />
    </span>
  );
}
