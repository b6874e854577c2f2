/** Days in words: `today`, `yesterday`, `tuesday` and `last tuesday`. They are those of the local time zone. */
const weekdays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

/** Returns the midnight at which the day begins, or undefined for other words. A weekday is the last one before today. */
export function dayInWords(text: string, now: Date): Date | undefined {
  const word = text.trim().toLowerCase();
  const weekday = weekdays.indexOf(word.replace(/^last /, ""));
  const since = (now.getDay() - weekday + 7) % 7 || 7;
  const days = { today: 0, yesterday: 1 }[word] ?? (weekday < 0 ? undefined : since);
  if (days === undefined) return undefined;
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() - days);
}

/** Returns the midnight that follows. A day can have 23 or 25 hours. */
export const nextDay = (day: Date): Date =>
  new Date(day.getFullYear(), day.getMonth(), day.getDate() + 1);

/** Returns a text such as `2026-01-31 00:00 in Europe/Berlin`. */
export function localText(time: Date): string {
  const two = (value: number) => String(value).padStart(2, "0");
  const date = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join("-");
  const zone = new Intl.DateTimeFormat("en").resolvedOptions().timeZone;
  return `${date} ${two(time.getHours())}:${two(time.getMinutes())} in ${zone}`;
}
