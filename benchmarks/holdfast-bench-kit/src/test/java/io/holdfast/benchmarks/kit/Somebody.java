package io.holdfast.benchmarks.kit;

/** Those who are never measured. */
enum Somebody implements Entrant {
    US("Holdfast"),
    ELSE("Redisson");

    private final String label;

    Somebody(String label) {
        this.label = label;
    }

    @Override
    public String label() {
        return label;
    }

    @Override
    public Locks open(String address) {
        return new NoLock();
    }
}
