/** Distributed locks by name, with leases and fencing tokens: the API, the store SPI, the engine and the in-JVM store. */
module io.holdfast {
    requires static transitive org.jspecify;

    exports io.holdfast;
    exports io.holdfast.monitoring;
    exports io.holdfast.spi;
    exports io.holdfast.spi.support;

    uses io.holdfast.spi.StoreProvider;

    provides io.holdfast.spi.StoreProvider with
            io.holdfast.internal.memory.MemoryStoreProvider;
}
