/** Runs with a fresh place, which is removed whatever happens. */
export async function inPlace(subject, run) {
  const place = subject.createPlace()
  try {
    return await run(place)
  } finally {
    await place.remove()
  }
}

/** Runs with a subject's database open, which is closed whatever happens. */
export async function inSession(subject, place, run) {
  const session = await subject.open(place)
  try {
    return await run(session)
  } finally {
    await session.close()
  }
}
