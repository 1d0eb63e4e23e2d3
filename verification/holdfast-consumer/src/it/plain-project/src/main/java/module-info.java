/** A module of somebody else. */
module com.example.hotel {
    requires io.holdfast;
}
