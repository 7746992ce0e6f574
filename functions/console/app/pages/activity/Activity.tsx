export default function Activity() {
  return <p>Activity</p>;
}
