// How long ago something was, for people.

/** "3 min ago", of the world's time. */
export function agoText(ticks: number, tickRate: number): string {
  const seconds = Math.round(ticks / tickRate);
  if (seconds < 1) return "just now";
  if (seconds < 90) return `${seconds} s ago`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min ago` : `${Math.round(hours / 24)} days ago`;
}
